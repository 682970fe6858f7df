import { createRng } from '../../../../simulator/index.ts'
import { combineInterleaved, fitBenchmarking } from '../../../fitting/models/benchmarking.ts'
import { accepted } from '../../measure/accept.ts'
import { inverseOf, playGate, randomGates, X90_GATE } from '../../measure/clifford.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { defineRoutine, type Measurement, type RoutineContext } from '../../routine.ts'

const DEPTHS = [1, 4, 16, 64, 128, 256, 512, 768, 1_024]
const SEEDS = 12
const SHOTS = 500

/**
 * Measures the error of a pulse by randomized benchmarking: sequences of random Clifford gates that end with
 * the gate which undoes them. The population of state 0 that is left decays with their length. With the
 * setting `interleave: x90` it measures the error of that pulse alone, by how much faster the population
 * decays with the pulse after each gate (E. Magesan et al., PRL 109, 080505 (2012)).
 */
export const randomizedBenchmarking = defineRoutine({
  name: 'randomized_benchmarking',
  dependsOn: ['two_state_discrimination'],
  reads: DRIVEN,
  priors: DRIVE_PRIORS,
  size: { points: DEPTHS.length * SEEDS, shots: SHOTS },
  *measure(context) {
    const depths = Array.from(context.axis('depths', DEPTHS).values)
    const gateDuration = context.self.number('rxy.duration')
    const survival = yield* survivalOf(context, depths)
    const reference = yield* fitBenchmarking(depths, means(survival))
    const { values, fit, quality } = accepted(reference)
    const { error_per_gate: perGate, error_per_clifford: perClifford } = values
    const figures = { ...quality, error_per_clifford: perClifford.value }
    const metric = 'average_gate'
    if (context.setting('interleave') !== 'x90') {
      const found = { fidelity: 1 - perGate.value, error: perGate.value, fidelityError: perGate.error }
      const benchmark = { metric, ...found, gateDuration, rawData: { depths, survival } }
      return { benchmark, trace: fit, quality: figures }
    }
    const interleaved = yield* survivalOf(context, depths, X90_GATE)
    const x90 = accepted(combineInterleaved(reference, yield* fitBenchmarking(depths, means(interleaved)), 1))
    const { value: error, error: fidelityError } = x90.values.gate_error
    return {
      benchmark: {
        metric,
        fidelity: 1 - error,
        error,
        fidelityError,
        gateDuration,
        rawData: { depths, survival, interleaved },
      },
      trace: x90.fit,
      quality: { ...figures, error_per_gate: perGate.value },
      notes: ['the error is that of a quarter turn about x, interleaved'],
    }
  },
})

/** Populations of state 0 after sequences, by depth and seed. */
function* survivalOf(
  context: RoutineContext,
  depths: readonly number[],
  interleaved?: number,
): Measurement<number[][]> {
  const seeds = Number(context.setting('seeds') ?? SEEDS)
  const survival = depths.map(() => [] as number[])
  for (let seed = 0; seed < seeds; seed++) {
    // A program of its own for each seed: sequences are long.
    const points = depths.map((depth) => sequence(context, depth, seed, interleaved))
    const found = yield* populations(context, points, SHOTS)
    for (const [at, population] of found.entries()) survival[at]?.push(1 - population)
  }
  return survival
}

function means(survival: readonly (readonly number[])[]): number[] {
  return survival.map((all) => all.reduce((sum, value) => sum + value / all.length, 0))
}

/**
 * Random gates, each followed by the interleaved one, and the gate that undoes them all; a seed has sequences
 * of its own at each depth.
 */
function sequence(context: RoutineContext, depth: number, seed: number, interleaved?: number) {
  const { name } = context.self
  const rng = createRng(seed)
  rng.seek(depth, 0)
  const random = randomGates(rng, depth)
  const gates = interleaved === undefined ? random : random.flatMap((gate) => [gate, interleaved])
  const schedule = context.schedule()
  for (const gate of [...gates, inverseOf(gates)]) playGate(schedule, name, gate)
  return schedule.measure(name).build()
}
