import { fitExponential } from '../../../fitting/models/exponential.ts'
import { accepted, onGrid } from '../../measure/accept.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { defineRoutine } from '../../routine.ts'

const SHOTS = 1_000
const DEFAULT_T1_S = 50e-6
/** The window in units of T1, by attempt: never more than 6, where nothing is left. */
const WINDOWS_IN_T1 = [3, 1, 6]
/** T2 is at most 2 T1; above this the decay of the window says nothing. */
const MAX_IN_T1 = 2.4

/** Measures T2 by an echo: a pi pulse in the middle of the delay undoes slow detunings. */
export const t2Echo = defineRoutine({
  name: 't2_echo',
  dependsOn: ['ramsey_correction', 't1'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, 'coherence.t1'],
  optionalWrites: ['coherence.t2_echo'],
  size: { points: 41, shots: SHOTS },
  *measure(context) {
    const { self, attempt } = context
    const { name } = self
    const t1 = self.optional('coherence.t1')
    const isShort = attempt.failures.includes('edge_of_sweep')
    const window = isShort ? 6 : (WINDOWS_IN_T1[attempt.number - 1] ?? 6)
    const stop = window * (t1 ?? DEFAULT_T1_S)
    const halves = context
      .axis('delay', { start: 0, stop, points: 41 })
      .values.map((delay) => onGrid(delay / 2))
    const points = Array.from(halves, (half) =>
      context
        .schedule()
        .rotate(name, Math.PI / 2)
        .delay(name, half)
        .rotate(name, Math.PI)
        .delay(name, half)
        .rotate(name, -Math.PI / 2)
        .measure(name)
        .build(),
    )
    const delays = halves.map((half) => 2 * half)
    const { values, fit, quality } = accepted(
      yield* fitExponential(delays, yield* populations(context, points, SHOTS)),
    )
    const { decay } = values
    return {
      parameters: { 'coherence.t2_echo': { ...decay, unit: 's' } },
      trace: fit,
      quality,
      unresolved: t1 !== undefined && decay.value > MAX_IN_T1 * t1,
    }
  },
})
