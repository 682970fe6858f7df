import { fitExponential } from '../../../fitting/models/exponential.ts'
import { onGrid } from '../../measure/accept.ts'
import { findDecay, saneMean } from '../../measure/decay-window.ts'
import { DRIVE_PRIORS, DRIVEN, SETTLING_T1 } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { defineRoutine } from '../../routine.ts'

const SHOTS = 1_000
const POINTS = 41
const DEFAULT_T1_S = 50e-6
/** The window in units of T1, and the longest one: nothing is left there. */
const WINDOW_IN_T1 = 3
const MAX_WINDOW_IN_T1 = 6
/** Distance from 1/2 below which a mean population shows no echo anymore. */
const DECAYED = 0.25
/** T2 is at most 2 T1; above this the decay of the window says nothing. */
const MAX_IN_T1 = 2.4

/** Measures T2 by an echo: a pi pulse in the middle of the delay undoes slow detunings. */
export const t2Echo = defineRoutine({
  name: 't2_echo',
  dependsOn: ['ramsey_correction', 't1'],
  reads: DRIVEN,
  priors: DRIVE_PRIORS,
  optionalWrites: ['coherence.t2_echo'],
  size: { points: POINTS, shots: SHOTS, firstPart: 1 / 2 },
  *measure(context) {
    const { self } = context
    const { name } = self
    const t1 = self.optional('coherence.t1')
    function* measure(requested: Float64Array) {
      const halves = requested.map((delay) => onGrid(delay / 2))
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
      const found = yield* populations(context, points, SHOTS)
      const delays = halves.map((half) => 2 * half)
      return { fit: yield* fitExponential(delays, found), hint: hintOf(found) }
    }
    const { fit: found } = yield* findDecay(context, {
      points: POINTS,
      start: 0,
      window: WINDOW_IN_T1 * (t1 ?? DEFAULT_T1_S),
      longest: t1 === undefined ? undefined : MAX_WINDOW_IN_T1 * t1,
      measure,
    })
    const { values, fit, quality } = found
    const { decay } = values
    const isBeyondT1 = t1 !== undefined && decay.value > MAX_IN_T1 * t1
    return {
      parameters: { 'coherence.t2_echo': { ...decay, unit: 's' } },
      trace: fit,
      quality,
      unresolved: isBeyondT1,
      // T1 was short while it was measured: what follows waits for as long as this T2 demands.
      ...(isBeyondT1 && { assumed: { [SETTLING_T1]: decay.value / 2 } }),
    }
  },
})

/** An echo that stays where it starts decays later than the window, one near 1/2 before its second point. */
function hintOf(found: Float64Array): 'later' | 'earlier' | undefined {
  const mean = saneMean(found)
  return mean === undefined ? undefined : Math.abs(mean - 0.5) > DECAYED ? 'later' : 'earlier'
}
