import { fitExponential } from '../../../fitting/models/exponential.ts'
import { accepted, checkOf, onGrid } from '../../measure/accept.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { defineRoutine, type RoutineContext } from '../../routine.ts'

const SHOTS = 1_000
const DEFAULT_WINDOW_S = 200e-6
/** The window in units of a known T1, and the factor by which it grows when it is too short. */
const WINDOW_IN_T1 = 5
const WIDENING = 3
/** Longest deviation of the population after one T1 from 1/e. */
const CHECK_LIMIT = 0.12
/** Relative change of T1 that causes it. */
const RELATIVE_LIMIT = 0.3

/** Measures the relaxation time: the population that is left some time after a pi pulse. */
export const t1 = defineRoutine({
  name: 't1',
  dependsOn: ['rabi_oscillations'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, 'coherence.t1'],
  optionalWrites: ['coherence.t1'],
  size: { points: 41, shots: SHOTS },
  *measure(context) {
    const known = context.self.optional('coherence.t1')
    const window = known === undefined ? DEFAULT_WINDOW_S : WINDOW_IN_T1 * known
    const isShort = context.attempt.failures.includes('edge_of_sweep')
    const stop = window * (isShort ? WIDENING : WIDENING ** -context.attempt.failures.length)
    const delays = context.axis('delay', { start: 0, stop, points: 41 }).values.map(onGrid)
    const points = Array.from(delays, (delay) => decayed(context, delay))
    const { values, fit, quality } = accepted(
      yield* fitExponential(delays, yield* populations(context, points, SHOTS)),
    )
    const { decay } = values
    const checkLimit = RELATIVE_LIMIT * decay.value
    return { parameters: { 'coherence.t1': { ...decay, unit: 's', checkLimit } }, trace: fit, quality }
  },
  *check(context) {
    const delay = onGrid(context.self.number('coherence.t1'))
    const [left = Number.NaN] = yield* populations(context, [decayed(context, delay)], SHOTS)
    return checkOf(left - Math.exp(-1), CHECK_LIMIT)
  },
})

function decayed(context: RoutineContext, delay: number) {
  const { name } = context.self
  return context.schedule().rotate(name, Math.PI).delay(name, delay).measure(name).build()
}
