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

/** Points and shots of the sweeps. */
export const EXCITED_SIZE = { points: 2 * POINTS, shots: SHOTS }

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
  const series = yield* transmissionOf(context, frequencies, { ...sweep, state })
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
    ...(self.has(path) && { parameters: { [path]: { ...center, unit: 'Hz' } } }),
    ...details,
    quality: { ...quality, shift },
    notes: isOrdered ? [] : [`${self.name}: the line of state 2 is not beyond that of state 1`],
  }
}
