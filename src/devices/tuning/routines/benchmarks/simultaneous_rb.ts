import type { Estimate } from '../../../fitting/fit.ts'
import { fitBenchmarking, GATES_PER_CLIFFORD } from '../../../fitting/models/benchmarking/benchmarking.ts'
import { boundDecay, scaleBound } from '../../../fitting/models/benchmarking/decay-bound.ts'
import { accepted } from '../../measure/accept.ts'
import { drivenBeside, leakedError, REST_POINTS } from '../../measure/driven-beside.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { defineRoutine, type Measurement, type RoutineContext, RoutineError } from '../../routine.ts'
import { BASE, survivalOf } from './randomized_benchmarking.ts'

const DEPTHS = [1, 8, 32, 64, 128, 256]
const SHOTS = 500
const SEEDS = 6
/** How many times as large as alone an error may be beside the pulses of the others, beyond this much. */
const MAX_RATIO = 3
const MIN_DIFFERENCE = 2e-4
/** What leaks of the pulses of others may add to the error of a gate, whatever that is alone. */
const MAX_LEAKED = 3e-4
/** Standard errors by which it must be larger. */
const CLEAR = 2

/**
 * Randomized benchmarking of a qubit alone, then while all others run random gates of their own (J. M.
 * Gambetta et al., PRL 109, 240504 (2012)). A qubit whose error is more than three times as large beside the
 * others fails with both figures. Six sequences do not resolve what a leak of a few percent at its frequency
 * adds: the qubit at rest does, and fails with the name of the other before any sequence of its own.
 */
export const simultaneousRb = defineRoutine({
  name: 'simultaneous_rb',
  kind: 'qubit',
  dependsOn: ['randomized_benchmarking'],
  reads: DRIVEN,
  priors: DRIVE_PRIORS,
  size: { points: 2 * DEPTHS.length * SEEDS + REST_POINTS, shots: SHOTS, heralds: 2 },
  *measure(context) {
    const others = drivenBeside(context)
    const leaked = yield* leakedError(context, others, SHOTS)
    if (leaked.value - leaked.error > MAX_LEAKED) throw yield* leakOf(context, others, leaked)
    const alone = yield* errorBeside(context, [])
    const beside = yield* errorBeside(context, others)
    const quality = { alone: alone.value, beside: beside.value, leaked: leaked.value }
    const difference = beside.value - MAX_RATIO * alone.value
    if (difference - CLEAR * Math.hypot(beside.error, MAX_RATIO * alone.error) > MIN_DIFFERENCE) {
      const [together, single] = [beside, alone].map(({ value }) => value.toPrecision(3))
      const message = `the error of a gate is ${together} beside the gates of the others, ${single} alone`
      throw new RoutineError('simultaneous_error', message, { quality })
    }
    return {
      benchmark: {
        metric: 'average_gate',
        fidelity: 1 - beside.value,
        error: beside.value,
        fidelityError: beside.error,
        gateDuration: context.self.number('rxy.duration'),
        rawData: {
          others,
          error_alone: alone.value,
          error_alone_error: alone.error,
          error_leaked: leaked.value,
          error_leaked_error: leaked.error,
        },
      },
      quality,
    }
  },
})

/** The failure of a target that pulses of others move, with the other that does most. */
function* leakOf(
  context: RoutineContext,
  others: readonly string[],
  all: Estimate,
): Measurement<RoutineError> {
  let worst = { other: '', value: Number.NEGATIVE_INFINITY }
  for (const other of others) {
    const { value } = yield* leakedError(context, [other], SHOTS)
    if (value > worst.value) worst = { other, value }
  }
  const frequency = (qubit: string) => context.element(qubit).number('clock_freqs.f01')
  const apart = Math.abs(frequency(worst.other) - frequency(context.target)) / 1e6
  const [own, together] = [worst.value, all.value].map((value) => value.toPrecision(3))
  const message = `pulses of ${worst.other}, ${apart.toPrecision(3)} MHz away, leak to it: its gates add ${own} to the error of each of its own, those of all others ${together}`
  return new RoutineError('simultaneous_error', message, { quality: { leaked: all.value } })
}

/** The error of a gate of the target while others run gates of their own. */
function* errorBeside(context: RoutineContext, others: readonly string[]): Measurement<Estimate> {
  const survival = yield* survivalOf(context, DEPTHS, { others, seeds: SEEDS })
  const fit = yield* fitBenchmarking(DEPTHS, survival)
  const bound = boundDecay(DEPTHS, survival, BASE)
  if (!fit.ok && bound) return { value: scaleBound(bound, BASE / GATES_PER_CLIFFORD).error, error: 0 }
  return accepted(fit).values.error_per_gate
}
