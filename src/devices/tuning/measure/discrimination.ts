import type { ComplexSeries } from '../../fitting/complex-series.ts'
import { type Measurement, type RoutineContext, RoutineError } from '../routine.ts'
import { prepared, shotsOf } from './shots.ts'
import { aloneAndBeside, storedShifts, TONE_SHIFTS } from './tone-shifts.ts'

/** What a qubit may have for the readout of two states, and of three. */
export const TWO_STATE_PRIORS = ['frequency', 'pulse_amp', 'integration_time'].map(
  (key) => `measure_2state.${key}`,
)
/** What a routine uses that makes bits of the signals of a readout of two states. */
export const DISCRIMINATION_PRIORS = [
  ...TWO_STATE_PRIORS,
  ...['acq_rotation', 'acq_threshold'].flatMap((key) => [`measure_2state.${key}`, `measure.${key}`]),
  TONE_SHIFTS,
]
export const THREE_STATE_PRIORS = ['frequency', 'pulse_amp', 'integration_time'].map(
  (key) => `measure_3state.${key}`,
)

/** Where a resonator is read. */
interface ReadoutChoice {
  /** Hz. */
  readonly frequency?: number
  readonly amplitude?: number
  /** s. */
  readonly window?: number
}

/**
 * Shots of prepared states 0 to `states` - 1 at each readout point, `[point][state]`, starting from `point`.
 */
export function* statesAt(
  context: RoutineContext,
  choices: readonly ReadoutChoice[],
  { states, shots, mayHerald = false }: { states: 2 | 3; shots: number; mayHerald?: boolean },
): Measurement<ComplexSeries[][]> {
  const { name } = context.self
  const point = states === 2 ? 'measure_2state' : 'measure_3state'
  const levels = Array.from({ length: states }, (_, state) => state)
  const schedules = choices.flatMap((choice) =>
    levels.map((state) =>
      prepared(context, state)
        .measure(name, { point, ...choice })
        .build(),
    ),
  )
  const series = yield* shotsOf(context, schedules, context.shots(shots), { mayHerald })
  return choices.map((_, at) => series.slice(at * states, (at + 1) * states))
}

/** @throws RoutineError when shots are not numbers, or all the same whatever was prepared. */
export function assertSignal(series: readonly ComplexSeries[]): void {
  const values = series.flatMap(({ re, im }) => [re, im])
  const [first] = values.map((each) => each[0])
  const isDead = values.every((each) => Array.prototype.every.call(each, (value) => value === first))
  const areNumbers = values.every((each) => Array.prototype.every.call(each, Number.isFinite))
  if (isDead || !areNumbers) throw new RoutineError('no_data', 'The acquisition holds no signal')
}

/** Share of the shots whose real part, after a rotation by degrees, is at least the threshold. */
function shareOfOnes({ re, im }: ComplexSeries, rotation: number, threshold: number): number {
  const angle = (rotation * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  let ones = 0
  for (let at = 0; at < re.length; at++) {
    if (cos * (re[at] as number) - sin * (im[at] as number) >= threshold) ones++
  }
  return ones / re.length
}

/** Paths of the discriminator that the element has: those of `measure_2state` before those of `measure`. */
export function discriminatorPaths({ self }: Pick<RoutineContext, 'self'>): {
  rotation: string
  threshold: string
} {
  const module = self.has('measure_2state.acq_threshold') ? 'measure_2state' : 'measure'
  return { rotation: `${module}.acq_rotation`, threshold: `${module}.acq_threshold` }
}

/**
 * Shares of ones by the stored discriminator: after preparing 0 and 1 alone, and after 0 beside the tones of
 * all others of the line, which is that of 0 where there are none.
 */
export function* storedShares(
  context: RoutineContext,
  shots: number,
): Measurement<[afterZero: number, afterOne: number, beside: number]> {
  const paths = discriminatorPaths(context)
  const [rotation, threshold] = [context.self.number(paths.rotation), context.self.number(paths.threshold)]
  const [zero = NOTHING, one = NOTHING, beside] = yield* aloneAndBeside(context, shots)
  assertSignal([zero, one])
  const shift = storedShifts(context).reduce((sum, each) => sum + each, 0)
  const shares = [zero, one].map((series) => shareOfOnes(series, rotation, threshold))
  const [afterZero = Number.NaN, afterOne = Number.NaN] = shares
  const isShifted = beside !== undefined && context.self.has(TONE_SHIFTS)
  return [afterZero, afterOne, isShifted ? shareOfOnes(beside, rotation, threshold + shift) : afterZero]
}

const NOTHING: ComplexSeries = { re: [], im: [] }
