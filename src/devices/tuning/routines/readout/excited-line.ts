import type { ComplexSeries } from '../../../fitting/complex-series.ts'
import { fitResonator } from '../../../fitting/models/resonator.ts'
import { accepted } from '../../measure/accept.ts'
import { linewidthOf, transmissionOf } from '../../measure/resonator-lines.ts'
import { type Finding, type Measurement, type RoutineContext, RoutineError } from '../../routine.ts'

const SHOTS = 1_000
const POINTS = 101
/** Half width of the sweep, in line widths. */
const REACH = 8
/** Shorter than in state 0, because the qubit decays meanwhile, s. */
const SETTLE_S = 2e-6
/** Largest relative change of the line width, and the smallest shift of the line in widths. */
const MAX_BROADENING = 0.3
const MIN_SHIFT = 0.05

/** Standard error of the line that suffices, in widths. */
const WANTED_ERROR = 0.03

/** Least share of the window in which the qubit is in its state. */
const MIN_SHARE = 0.1

/** Points and shots of the sweeps. */
export const EXCITED_SIZE = { points: 2 * POINTS, shots: SHOTS, firstPart: 1 / 4, heralds: 1 }

/** Transmissions with the qubit prepared in each state; `below` is that of state 1, where `mixed` is of 2. */
interface Transmissions {
  readonly ground: ComplexSeries
  readonly below: ComplexSeries | undefined
  readonly mixed: ComplexSeries
}

/**
 * The transmission in the prepared state alone: until the window closes, some qubits have relaxed by a level
 * or two (2 → 1 twice as fast as 1 → 0), and the signal is a mixture. Unchanged where T1 is unknown. That the
 * resonator follows a relaxation only after its own decay is neglected.
 * @throws RoutineError `unresolved` when next to nothing of the state is left in the window
 */
function withoutDecay({ self }: RoutineContext, { ground, below, mixed }: Transmissions): ComplexSeries {
  const t1 = self.optional('coherence.t1')
  if (t1 === undefined) return mixed
  const window = self.number('measure.integration_time')
  const left = (rate: number) =>
    (Math.exp((-rate * SETTLE_S) / t1) * (1 - Math.exp((-rate * window) / t1)) * t1) / (rate * window)
  const [one, two] = [left(1), left(2)]
  const share = below ? two : one
  if (share < MIN_SHARE) {
    const message = `With T1 of ${t1} s, ${(100 * share).toFixed(0)} % of the state are left in the window`
    throw new RoutineError('unresolved', message)
  }
  // After state 2, the shares of states 1 and 0; that of state 1 was measured as a mixture itself.
  const inOne = below ? (2 * (one - two)) / one : 0
  const inGround = 1 - share - inOne
  const alone = (of: 're' | 'im') =>
    Array.from(
      mixed[of],
      (value, at) =>
        (value - inOne * (below?.[of][at] ?? 0) - inGround * (ground[of][at] ?? Number.NaN)) / share,
    )
  return { re: alone('re'), im: alone('im') }
}

/**
 * Finds the line of a resonator with its qubit in state 1 or 2, and writes it to `path` where there is one.
 * The line in state 0 is measured beside it: since its own routine it may have drifted by more than a state
 * moves it.
 */
export function* measureExcitedLine(
  context: RoutineContext,
  state: 1 | 2,
  path: string,
): Measurement<Finding> {
  const { self } = context
  const stored = self.number('clock_freqs.readout')
  const width = linewidthOf(context)
  const range = { start: stored - REACH * width, stop: stored + REACH * width, points: POINTS }
  const frequencies = context.axis('frequency', range).values
  const sweep = { shots: SHOTS, settle: SETTLE_S }
  const idle = yield* transmissionOf(context, frequencies, sweep)
  const ground = accepted(yield* fitResonator(frequencies, idle)).values.center.value
  const mixed = yield* transmissionOf(context, frequencies, { ...sweep, state })
  const below = state === 1 ? undefined : yield* transmissionOf(context, frequencies, { ...sweep, state: 1 })
  const series = withoutDecay(context, { ground: idle, below, mixed })
  const { values, fit, quality } = accepted(yield* fitResonator(frequencies, series))
  const { center, linewidth } = values
  const shift = center.value - ground
  const details = { trace: fit, quality }
  const known = self.optional('resonator.linewidth')
  if (known !== undefined && Math.abs(linewidth.value / known - 1) > MAX_BROADENING) {
    const widths = `${Math.round(linewidth.value / 1e3)} kHz wide, in state 0 ${Math.round(known / 1e3)} kHz`
    throw new RoutineError('implausible', `In state ${state} the line is ${widths}`, details)
  }
  if (Math.abs(shift) <= MIN_SHIFT * width) {
    const message = `State ${state} moves the line by ${Math.round(shift / 1e3)} kHz only`
    throw new RoutineError('unresolved', message, details)
  }
  const first = state === 2 ? self.optional('resonator.readout_1') : undefined
  const isOrdered = first === undefined || (first - ground) * (center.value - first) > 0
  return {
    ...(self.has(path) && {
      parameters: { [path]: { ...center, unit: 'Hz', wantedError: WANTED_ERROR * width } },
    }),
    ...details,
    quality: { ...quality, shift },
    notes: isOrdered ? [] : [`${self.name}: the line of state 2 is not beyond that of state 1`],
  }
}
