import { createRng } from '../../../../simulator/index.ts'
import { fitPurity, purityOf } from '../../../fitting/models/benchmarking.ts'
import { accepted } from '../../measure/accept.ts'
import { playGate, randomGates } from '../../measure/clifford.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { defineRoutine, type RoutineContext } from '../../routine.ts'

const DEPTHS = [1, 4, 16, 64, 128, 256, 512, 768]
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
  size: { points: AXES.length * DEPTHS.length * SEEDS, shots: SHOTS },
  *measure(context) {
    const depths = Array.from(context.axis('depths', DEPTHS).values)
    const seeds = Number(context.setting('seeds') ?? SEEDS)
    const shots = context.shots(SHOTS)
    const purities = depths.map(() => [] as number[])
    for (let seed = 0; seed < seeds; seed++) {
      const points = depths.flatMap((depth) => AXES.map((axis) => sequence(context, depth, seed, axis)))
      const found = yield* populations(context, points, SHOTS)
      for (const [at, all] of purities.entries()) {
        const values = found.slice(at * AXES.length, (at + 1) * AXES.length)
        all.push(
          purityOf(
            Array.from(values, (population) => 1 - 2 * population),
            shots,
          ),
        )
      }
    }
    const means = purities.map((all) => all.reduce((sum, value) => sum + value / all.length, 0))
    const { values, fit, quality } = accepted(yield* fitPurity(depths, means))
    const { value, error } = values.incoherent_error
    const perGate = value / PULSES_PER_GATE
    return {
      benchmark: {
        metric: 'incoherent',
        error: perGate,
        fidelityError: error / PULSES_PER_GATE,
        incoherent: perGate,
        gateDuration: context.self.number('rxy.duration'),
        rawData: { depths, purities },
      },
      trace: fit,
      quality: { ...quality, unitarity: values.unitarity.value },
    }
  },
})

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
