import { meansOf } from '../../fitting/models/benchmarking/sequences.ts'
import { type Measurement, type RoutineContext, RoutineError } from '../routine.ts'

/** Samples of random sequences: those of each seed, by depth. */
interface Samples {
  readonly depths: number[]
  readonly samples: number[][]
}

interface DepthsOptions {
  /** The depths where `calibration.yml` has none, ascending, and the deepest that follow them. */
  readonly depths: readonly number[]
  readonly deepest: number
  /** Value after infinitely many gates. */
  readonly base: number
  /** Measures sequences of these depths, and returns their samples by depth and seed. */
  measure(depths: readonly number[]): Measurement<number[][]>
}

/** Part of the signal that has to decay for deeper sequences to add nothing. */
const ENOUGH = 0.3
/** Deeper sequences in units of the deepest one so far. */
const DEEPER = [2, 4]
/** Least part of the way from the base to 1 at which a decay starts. */
const MIN_START = 0.5
/** What deeper sequences take longer than the ones before. */
const TIME_MARGIN = 2

/**
 * Measures random sequences of growing depth until their signal has visibly decayed. Depths of
 * `calibration.yml` stay as they are. Otherwise the hardware, which does not play longer programs, the time
 * limit of the routine, or the deepest sequence ends it.
 */
export function* sampleDecay(
  context: RoutineContext,
  { depths, deepest, base, measure }: DepthsOptions,
): Measurement<Samples> {
  const swept = Array.from(context.axis('depths', depths).values)
  const isGiven = swept.join() !== depths.join()
  const before = context.secondsLeft()
  const found: Samples = { depths: swept, samples: yield* measure(swept) }
  while (!isGiven && isVisiblyHigh(found, base)) {
    const perDepth = (before - context.secondsLeft()) / found.depths.length
    const last = found.depths.at(-1) ?? 1
    const next = DEEPER.map((factor) => factor * last).filter((depth) => depth <= deepest)
    const isLate = Number.isFinite(perDepth) && TIME_MARGIN * next.length * perDepth > context.secondsLeft()
    if (next.length === 0 || isLate) break
    const more = yield* tryDepths(measure, next)
    if (!more) break
    found.depths.push(...next)
    found.samples.push(...more)
  }
  return found
}

/** Undefined for sequences that the hardware does not play. */
function* tryDepths(
  measure: DepthsOptions['measure'],
  depths: readonly number[],
): Measurement<number[][] | undefined> {
  try {
    return yield* measure(depths)
  } catch (error) {
    if (error instanceof RoutineError && error.code === 'not_playable') return undefined
    throw error
  }
}

/** Whether the signal starts high above the base and has hardly decayed yet. */
function isVisiblyHigh({ samples }: Samples, base: number): boolean {
  const above = meansOf(samples).map((mean) => mean - base)
  const [first = 0, last = 0] = [above[0], above.at(-1)]
  const isHigh = first > MIN_START * (1 - base) && first < 2 * (1 - base)
  return isHigh && last > (1 - ENOUGH) * first
}
