import { ALL_XY_PAIRS, fitAllXy } from '../../../fitting/models/all-xy.ts'
import { accepted } from '../../measure/accept.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { defineRoutine } from '../../routine.ts'

const SHOTS = 1_024
/** Angle and axis of each pulse, rad. */
const PULSES = {
  I: [0, 0],
  X: [Math.PI, 0],
  Y: [Math.PI, Math.PI / 2],
  x: [Math.PI / 2, 0],
  y: [Math.PI / 2, Math.PI / 2],
} as const

/**
 * Plays 21 pairs of pulses whose populations are a staircase. The pattern of the deviations names the error
 * of the pulses: amplitude, detuning or derivative.
 */
export const allXy = defineRoutine({
  name: 'all_xy',
  dependsOn: ['two_state_discrimination'],
  reads: DRIVEN,
  priors: DRIVE_PRIORS,
  size: { points: 21, shots: SHOTS, heralds: 1 },
  *measure(context) {
    const { name } = context.self
    const points = ALL_XY_PAIRS.map((pair) => {
      const schedule = context.schedule()
      for (const gate of pair) {
        const [angle, axis] = PULSES[gate]
        schedule.rotate(name, angle, axis)
      }
      return schedule.measure(name).build()
    })
    const found = yield* populations(context, points, SHOTS)
    const { values, fit, quality } = accepted(yield* fitAllXy(found))
    const { rms, cause } = values
    return {
      benchmark: { metric: 'rms', error: rms.value, rawData: { populations: Array.from(found) } },
      trace: fit,
      quality,
      ...(cause && { notes: [`the pattern of the deviations is that of an error of ${cause}`] }),
    }
  },
})
