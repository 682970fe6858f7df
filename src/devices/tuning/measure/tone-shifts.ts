import type { ComplexSeries } from '../../fitting/complex-series.ts'
import type { Schedule } from '../../pulse/schedule.ts'
import type { Measurement, RoutineContext } from '../routine.ts'
import { allShotsOf, prepared } from './shots.ts'

/** Place of these values in a qubit. */
export const TONE_SHIFTS = 'measure_2state.tone_shifts'
/** Shots with the tone of one other qubit; their mean is enough. */
const SHOTS = 2_000
/** Shift in standard errors from which on a tone counts. */
const MIN_SIGNIFICANCE = 4

/** The target in a state, read together with other qubits in 0; its acquisition is the first. */
function readBeside(context: RoutineContext, state: number, others: readonly string[]): Schedule {
  const { name } = context.self
  const schedule = prepared(context, state).barrier(name, ...others)
  for (const qubit of [name, ...others]) schedule.measure(qubit, { point: 'measure_2state' })
  return schedule.build()
}

/** Shots of the target in 0 and in 1, alone, and in 0 beside all others of its line, where there are any. */
export function* aloneAndBeside(context: RoutineContext, shots: number): Measurement<ComplexSeries[]> {
  const mates = context.lineMatesOf(context.target)
  const points = [readBeside(context, 0, []), readBeside(context, 1, [])]
  if (mates.length > 0) points.push(readBeside(context, 0, mates))
  const { found } = yield* allShotsOf(context, points, context.shots(shots))
  return found.map(([first]) => first ?? { re: [], im: [] })
}

/** Shifts of the rotated real part (V) by the tone of each qubit, as stored; none where nothing is stored. */
export function storedShifts({ self, qubits }: Pick<RoutineContext, 'self' | 'qubits'>): readonly number[] {
  const shifts = self.table(TONE_SHIFTS) ?? []
  return qubits.map((_, at) => (shifts.length === qubits.length ? Number(shifts[at]) : 0))
}

/**
 * What the tone of each other qubit of a line adds to the rotated real part of the target, V, in the order of
 * the qubits of the chip. A line is linear: the shift by several tones is the sum of theirs. Undefined where
 * none shifts it and none is stored to do so.
 * @param zero shots of the target in 0, alone
 * @param beside the same with the tones of all others
 */
export function* toneShifts(
  context: RoutineContext,
  { zero, beside, rotation }: { zero: ComplexSeries; beside: ComplexSeries; rotation: number },
): Measurement<number[] | undefined> {
  const { self, target, qubits } = context
  const mates = context.lineMatesOf(target)
  const alone = realPart(zero, rotation)
  const shiftOf = (series: ComplexSeries) => {
    const { mean, error } = realPart(series, rotation)
    const shift = mean - alone.mean
    return Math.abs(shift) > MIN_SIGNIFICANCE * Math.hypot(error, alone.error) ? shift : 0
  }
  const total = shiftOf(beside)
  if (total === 0 && self.table(TONE_SHIFTS) === undefined) return undefined
  if (total === 0) return qubits.map(() => 0)
  if (mates.length === 1) return qubits.map((qubit) => (qubit === mates[0] ? total : 0))
  const points = mates.map((mate) => readBeside(context, 0, [mate]))
  const { found } = yield* allShotsOf(context, points, context.shots(SHOTS))
  return qubits.map((qubit) => {
    const [series] = found[mates.indexOf(qubit)] ?? []
    return series ? shiftOf(series) : 0
  })
}

/** Mean of the real part after a rotation by degrees, and its standard error. */
function realPart({ re, im }: ComplexSeries, rotation: number): { mean: number; error: number } {
  const angle = (rotation * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  let [sum, squares] = [0, 0]
  for (let at = 0; at < re.length; at++) {
    const real = cos * (re[at] as number) - sin * (im[at] as number)
    sum += real
    squares += real * real
  }
  const mean = sum / re.length
  return { mean, error: Math.sqrt(Math.max(0, squares / re.length - mean * mean) / re.length) }
}
