import { meanOf } from '../../../base/index.ts'
import { createRng } from '../../../simulator/index.ts'
import type { Estimate } from '../../fitting/fit.ts'
import { GATES_PER_CLIFFORD } from '../../fitting/models/benchmarking/benchmarking.ts'
import { type Measurement, type RoutineContext, RoutineError } from '../routine.ts'
import { playGate, randomGates } from './clifford.ts'
import { populations } from './references.ts'

/** Programs with random sequences of the others, sequences of each, and the gates of a sequence. */
const PROGRAMS = 6
const SEQUENCES = 4
const REST_DEPTH = 64
export const REST_POINTS = PROGRAMS * SEQUENCES
/** Nearest to an even mixture that a population says how often it was left. */
const MIN_POLARIZATION = 0.02

/** The other qubits of the chip that have pulses. @throws RoutineError `declined` without any. */
export function drivenBeside({ target, qubits, element }: RoutineContext): string[] {
  const isDriven = (qubit: string) =>
    ['clock_freqs.f01', 'rxy.amp180', 'rxy.duration'].every(
      (path) => element(qubit).optional(path) !== undefined,
    )
  const others = qubits.filter((qubit) => qubit !== target && isDriven(qubit))
  if (others.length === 0) throw new RoutineError('declined', 'no other qubit of the chip has pulses')
  return others
}

/**
 * What random gates of others add to the error of a gate by what leaks of their pulses, from how often they
 * move the target at rest: it does not decay there, unlike sequences of its own. Turns about axes of the
 * equator by θ move it by sin²(θ/2), and are errors of a gate by two thirds of that. Each program has
 * references of its own: the error is that of their scatter, too.
 */
export function* leakedError(
  context: RoutineContext,
  others: readonly string[],
  shots: number,
): Measurement<Estimate> {
  const means: number[] = []
  for (let program = 0; program < PROGRAMS; program++) {
    const seeds = Array.from({ length: SEQUENCES }, (_, at) => SEQUENCES * program + at)
    const points = seeds.map((seed) => restBeside(context, others, seed))
    const moved = yield* populations(context, points, shots)
    means.push(meanOf(moved))
  }
  const mean = meanOf(means)
  const squares = means.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  const deviation = Math.sqrt(squares / (PROGRAMS - 1) / PROGRAMS)
  const gates = REST_DEPTH * GATES_PER_CLIFFORD
  const polarization = Math.max(MIN_POLARIZATION, 1 - 2 * mean)
  const perGate = polarization ** (1 / gates)
  return { value: (1 - perGate) / 3, error: (2 * deviation * perGate) / (3 * gates * polarization) }
}

/** A target at rest, read after random gates of others. */
function restBeside(context: RoutineContext, others: readonly string[], seed: number) {
  const rng = createRng(seed)
  const schedule = context.schedule()
  for (const other of others) for (const gate of randomGates(rng, REST_DEPTH)) playGate(schedule, other, gate)
  return schedule
    .barrier(...others, context.target)
    .measure(context.target)
    .build()
}
