import { DRIVE_12_PRIORS, DRIVEN_12 } from '../../measure/inputs.ts'
import { TRANSITION_12 } from '../../measure/transition.ts'
import { defineRoutine } from '../../routine.ts'
import { checkDrag, dragOptimum, dragSize } from '../transition/drag.ts'

const DRAG = { transition: TRANSITION_12, reach: 0.4, repetitions: [1, 3, 5, 7], checkRepetitions: 7 }

/** Finds the weight of the derivative quadrature of the pulses between states 1 and 2. */
export const motzoi12Parameter = defineRoutine({
  name: 'motzoi_12_parameter',
  dependsOn: ['ramsey_correction_12'],
  reads: DRIVEN_12,
  priors: DRIVE_12_PRIORS,
  writes: ['r12.ef_motzoi'],
  needs: ['r12'],
  size: dragSize(DRAG),
  *measure(context) {
    const { motzoi, checkLimit, fit } = yield* dragOptimum(context, DRAG)
    return {
      parameters: { 'r12.ef_motzoi': { ...motzoi, checkLimit } },
      trace: fit.fit,
      quality: fit.quality,
    }
  },
  check: (context) => checkDrag(context, DRAG),
})
