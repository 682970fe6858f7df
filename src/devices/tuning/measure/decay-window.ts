import { linearGrid } from '../../fitting/axes.ts'
import type { AcceptedFit, Estimate, Fit } from '../../fitting/fit.ts'
import { type Measurement, type RoutineContext, RoutineError } from '../routine.ts'
import { accepted, onGrid } from './accept.ts'

/** Where a decay without a fit seems to be: much later than the window ends, or before its second point. */
type Hint = 'later' | 'earlier' | undefined

/** What one window showed. */
interface Shown {
  readonly fit: Fit<{ decay: Estimate }>
  readonly hint: Hint
}

interface DecaySearch<Found extends Shown> {
  readonly points: number
  /** First delay, and the first window where `calibration.yml` has none, s. */
  readonly start: number
  readonly window: number
  /** Longest window that makes sense, s; that of the longest program by default. */
  readonly longest?: number | undefined
  /** Measures at these delays, which lie on the grid of the instruments. */
  measure(delays: Float64Array): Measurement<Found>
}

/** A window with an accepted fit. */
type FoundDecay<Found extends Shown> = Found & {
  readonly fit: AcceptedFit<unknown>
  readonly delays: Float64Array
}

/** Windows of one attempt: each is at most {@link STEP} times as long as the one before. */
const MAX_WINDOWS = 8
const STEP = 6
/** Window in units of the decay, and the part of it within which a decay is taken as it is. */
const WINDOW_IN_DECAYS = 3
const RANGE = { min: 0.12, max: 0.8 } as const
/** Relative change of a window that is not worth another sweep. */
const SAME = 0.05
/** Longest and shortest window, s: a schedule has at most 100 ms, instruments a grid of 4 ns. */
const MAX_WINDOW_S = 60e-3
const MIN_WINDOW_S = 200e-9
/** Populations of nothing but noise lie outside of these. */
const SANE = { min: -0.3, max: 1.3 } as const

/**
 * Measures a decay over windows until one shows it well: the first is that of `calibration.yml`, which is
 * kept when it shows a decay at all, or the given one; each other follows from what the one before has shown.
 * A longer window that the hardware does not play ends the search.
 * @throws RoutineError with the reason of the last fit when no window shows a decay.
 */
export function* findDecay<Found extends Shown>(
  context: RoutineContext,
  { points, start, window, longest = MAX_WINDOW_S, measure }: DecaySearch<Found>,
): Measurement<FoundDecay<Found>> {
  const clip = (seconds: number) => Math.min(Math.max(seconds, MIN_WINDOW_S), longest, MAX_WINDOW_S)
  const stop = clip(window)
  const swept = context.axis('delay', { start, stop, points }).values
  const isGiven = swept.length !== points || swept.at(-1) !== stop
  let delays = swept.map(onGrid)
  let best: (Found & { delays: Float64Array }) | undefined
  for (let count = 1; ; count++) {
    const shown = yield* tryWindow(measure, delays, count === 1)
    if (!shown) break
    const { fit, hint } = shown
    // A longer window that shows less than the one before does not replace it.
    if (fit.ok || !best?.fit.ok) best = { ...shown, delays }
    if (fit.ok && isGiven && count === 1) break
    const last = delays.at(-1) ?? stop
    const next = clip(nextWindow(fit, hint, last))
    if (count === MAX_WINDOWS || Math.abs(next / last - 1) < SAME) break
    delays = Float64Array.from(linearGrid(start, next, points), onGrid)
  }
  if (!best) throw new TypeError('the first window was measured')
  return { ...best, fit: accepted(best.fit) }
}

/** Undefined for a window that follows another and that the hardware does not play. */
function* tryWindow<Found extends Shown>(
  measure: DecaySearch<Found>['measure'],
  delays: Float64Array,
  isFirst: boolean,
): Measurement<Found | undefined> {
  try {
    return yield* measure(delays)
  } catch (error) {
    if (!isFirst && error instanceof RoutineError && error.code === 'not_playable') return undefined
    throw error
  }
}

/** The window that follows one of this length; the same when no other would show more. */
function nextWindow(fit: Shown['fit'], hint: Hint, last: number): number {
  if (fit.ok) {
    const share = fit.values.decay.value / last
    const isShown = share >= RANGE.min && share <= RANGE.max
    return isShown ? last : Math.min(STEP * last, WINDOW_IN_DECAYS * fit.values.decay.value)
  }
  if (fit.code === 'edge_of_sweep') return STEP * last
  if (hint === undefined || (fit.code !== 'no_signal' && fit.code !== 'unresolved')) return last
  return hint === 'later' ? STEP * last : last / STEP
}

/** The mean of populations; undefined for those of a qubit without a signal, which are nothing but noise. */
export function saneMean(found: Float64Array): number | undefined {
  if (!found.every((value) => value > SANE.min && value < SANE.max)) return undefined
  return found.reduce((sum, value) => sum + value / found.length, 0)
}
