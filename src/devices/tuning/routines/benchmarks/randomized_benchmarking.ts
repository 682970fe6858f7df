import { createRng } from '../../../../simulator/index.ts'
import { fitBenchmarking, GATES_PER_CLIFFORD } from '../../../fitting/models/benchmarking/benchmarking.ts'
import { boundDecay, scaleBound } from '../../../fitting/models/benchmarking/decay-bound.ts'
import { fitInterleaved } from '../../../fitting/models/benchmarking/interleaved.ts'
import { accepted, tracesOf } from '../../measure/accept.ts'
import { sampleDecay } from '../../measure/benchmark-depths.ts'
import { inverseOf, playGate, randomGates, X90_GATE } from '../../measure/clifford.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { sequencePopulations } from '../../measure/references.ts'
import { defineRoutine, type Measurement, type RoutineContext } from '../../routine.ts'

const DEPTHS = [1, 4, 16, 64, 128, 256, 512, 768, 1_024]
/** The deepest sequences: an error of 1e-5 has taken a third of the signal there. */
const DEEPEST = 16_384
const SEEDS = 12
const SHOTS = 500
/** What is left of state 0 after infinitely many gates. */
export const BASE = 0.5

/**
 * Measures the error of a pulse by randomized benchmarking: sequences of random Clifford gates that end with
 * the gate which undoes them. The population of state 0 that is left decays with their length, which grows
 * until that is seen; an error below what is seen is reported as an upper bound. With the setting
 * `interleave: x90` it measures the error of that pulse alone, by how much faster the population decays with
 * the pulse after each gate (E. Magesan et al., PRL 109, 080505 (2012)).
 */
export const randomizedBenchmarking = defineRoutine({
  name: 'randomized_benchmarking',
  dependsOn: ['two_state_discrimination'],
  reads: DRIVEN,
  priors: DRIVE_PRIORS,
  size: { points: DEPTHS.length * SEEDS, shots: SHOTS, heralds: 1 },
  *measure(context) {
    const gateDuration = context.self.number('rxy.duration')
    const plain = yield* survivalsOf(context)
    const common = { metric: 'average_gate', gateDuration }
    if (context.setting('interleave') !== 'x90') {
      const { depths, survival } = plain
      const rawData = { depths, survival }
      const fit = yield* fitBenchmarking(depths, survival)
      const bound = boundDecay(depths, survival, BASE)
      if (!fit.ok && bound) {
        // Half of the rate is the error of a Clifford gate.
        const upperBound = scaleBound(bound, BASE / GATES_PER_CLIFFORD)
        return { benchmark: { ...common, upperBound, rawData }, ...tracesOf(fit) }
      }
      const { values, quality } = accepted(fit)
      const { error_per_gate: perGate, error_per_clifford: perClifford } = values
      const found = { fidelity: 1 - perGate.value, error: perGate.value, fidelityError: perGate.error }
      return {
        benchmark: { ...common, ...found, rawData },
        ...tracesOf(fit),
        quality: { ...quality, error_per_clifford: perClifford.value },
      }
    }
    const turned = yield* survivalsOf(context, X90_GATE)
    const options = { qubits: 1, base: BASE } as const
    const { gate, reference, interleaved, upperBound } = yield* fitInterleaved(plain, turned, options)
    const notes = ['the error is that of a quarter turn about x, interleaved']
    const { depths, survival } = plain
    const rawData = { depths, survival, interleaved: turned.survival, interleaved_depths: turned.depths }
    if (upperBound) return { benchmark: { ...common, upperBound, rawData }, ...tracesOf(interleaved), notes }
    const x90 = accepted(gate)
    const { value: error, error: fidelityError } = x90.values.gate_error
    const perGate = reference.ok ? { error_per_gate: reference.values.error_per_gate.value } : {}
    return {
      benchmark: { ...common, fidelity: 1 - error, error, fidelityError, rawData },
      trace: x90.fit,
      quality: { ...x90.quality, ...perGate },
      notes,
    }
  },
})

/** Survival of state 0 over sequences without or with an interleaved gate. */
function* survivalsOf(context: RoutineContext, interleaved?: number) {
  const { depths, samples: survival } = yield* sampleDecay(context, {
    depths: DEPTHS,
    deepest: DEEPEST,
    base: BASE,
    measure: (depths) => survivalOf(context, depths, { interleaved }),
  })
  return { depths, survival }
}

interface SequenceOptions {
  /** A gate after each of the random ones. */
  readonly interleaved?: number | undefined
  /** Qubits that run random gates of their own meanwhile. */
  readonly others?: readonly string[]
}

/** Populations of state 0 after sequences, by depth and seed. */
export function* survivalOf(
  context: RoutineContext,
  depths: readonly number[],
  { seeds: usual = SEEDS, ...options }: SequenceOptions & { readonly seeds?: number },
): Measurement<number[][]> {
  const seeds = Number(context.setting('seeds') ?? usual)
  const survival = depths.map(() => [] as number[])
  for (let seed = 0; seed < seeds; seed++) {
    // A program of its own for each seed: sequences are long.
    const points = depths.map((depth) => sequence(context, depth, seed, options))
    const found = yield* sequencePopulations(context, points, SHOTS)
    for (const [at, population] of found.entries()) survival[at]?.push(1 - population)
  }
  return survival
}

/**
 * Random gates, each followed by the interleaved one, and the gate that undoes them all; a seed has sequences
 * of its own at each depth.
 */
function sequence(
  context: RoutineContext,
  depth: number,
  seed: number,
  { interleaved, others = [] }: SequenceOptions,
) {
  const { name } = context.self
  const rng = createRng(seed)
  rng.seek(depth, 0)
  const random = randomGates(rng, depth)
  const gates = interleaved === undefined ? random : random.flatMap((gate) => [gate, interleaved])
  const schedule = context.schedule()
  for (const gate of [...gates, inverseOf(gates)]) playGate(schedule, name, gate)
  for (const other of others) for (const gate of randomGates(rng, depth)) playGate(schedule, other, gate)
  return schedule
    .barrier(name, ...others)
    .measure(name)
    .build()
}
