import { createRng } from '../../../../simulator/index.ts'
import { fitPurity, purityOf } from '../../../fitting/models/benchmarking/benchmarking.ts'
import { boundDecay, scaleBound } from '../../../fitting/models/benchmarking/decay-bound.ts'
import { accepted, tracesOf } from '../../measure/accept.ts'
import { sampleDecay } from '../../measure/benchmark-depths.ts'
import { playGate, randomGates } from '../../measure/clifford.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { sequencePopulations } from '../../measure/references.ts'
import { defineRoutine, type Measurement, type RoutineContext } from '../../routine.ts'

const DEPTHS = [1, 4, 16, 64, 128, 256, 512, 768]
/** The deepest sequences: incoherent errors of 1e-5 have taken half of the purity there. */
const DEEPEST = 12_288
const SEEDS = 12
const SHOTS = 1_000
/** Turns that bring the axes x, y and z to the measured one: angle and axis, rad. */
const AXES = [
  [-Math.PI / 2, Math.PI / 2],
  [Math.PI / 2, 0],
  [0, 0],
] as const
/** Pulses of a Clifford gate on average. */
const PULSES_PER_GATE = 44 / 24

/**
 * Measures the error of a pulse that no better pulse would remove: the length of the Bloch vector after
 * random gates shrinks by loss of coherence only.
 */
export const purityBenchmarking = defineRoutine({
  name: 'purity_benchmarking',
  dependsOn: ['randomized_benchmarking'],
  reads: DRIVEN,
  priors: DRIVE_PRIORS,
  size: { points: 2 * AXES.length * DEPTHS.length * SEEDS, shots: SHOTS / 2, heralds: 1 },
  *measure(context) {
    const { depths, samples: purities } = yield* sampleDecay(context, {
      depths: DEPTHS,
      deepest: DEEPEST,
      base: 0,
      measure: (depths) => puritiesOf(context, depths),
    })
    const fit = yield* fitPurity(depths, purities)
    const common = { metric: 'incoherent', gateDuration: context.self.number('rxy.duration') }
    const rawData = { depths, purities }
    const bound = boundDecay(depths, purities, 0)
    if (!fit.ok && bound) {
      // To first order, a quarter of the rate of the purity is the error of a Clifford gate.
      const upperBound = scaleBound(bound, 1 / (4 * PULSES_PER_GATE))
      return { benchmark: { ...common, upperBound, rawData }, ...tracesOf(fit) }
    }
    const { values, quality } = accepted(fit)
    const { value, error } = values.incoherent_error
    return {
      benchmark: {
        ...common,
        rawData,
        error: value / PULSES_PER_GATE,
        incoherent: value / PULSES_PER_GATE,
        fidelityError: error / PULSES_PER_GATE,
      },
      ...tracesOf(fit),
      quality: { ...quality, unitarity: values.unitarity.value },
    }
  },
})

/** Purities after sequences, by depth and seed. */
function* puritiesOf(context: RoutineContext, depths: readonly number[]): Measurement<number[][]> {
  const seeds = Number(context.setting('seeds') ?? SEEDS)
  const purities = depths.map(() => [] as number[])
  for (let seed = 0; seed < seeds; seed++) {
    const points = depths.flatMap((depth) => AXES.map((axis) => sequence(context, depth, seed, axis)))
    // Twice, each with references of its own: what is noise has no product on average.
    const halves = [
      yield* sequencePopulations(context, points, SHOTS / 2),
      yield* sequencePopulations(context, points, SHOTS / 2),
    ].map((found) => Array.from(found, (population) => 1 - 2 * population))
    for (const [at, all] of purities.entries()) {
      const [one = [], other = []] = halves.map((each) =>
        each.slice(at * AXES.length, (at + 1) * AXES.length),
      )
      all.push(purityOf(one, other))
    }
  }
  return purities
}

function sequence(context: RoutineContext, depth: number, seed: number, axis: readonly [number, number]) {
  const { name } = context.self
  const rng = createRng(seed)
  rng.seek(depth, 1)
  const schedule = context.schedule()
  for (const gate of randomGates(rng, depth)) playGate(schedule, name, gate)
  return schedule
    .rotate(name, ...axis)
    .measure(name)
    .build()
}
