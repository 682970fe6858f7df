import { DURATION_IN_SIGMAS } from '../../../pulse/envelope.ts'
import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { TRANSITION_01 } from '../../measure/transition.ts'
import { defineRoutine } from '../../routine.ts'
import { checkDrag, dragOptimum, dragSize } from '../transition/drag.ts'

const DRAG = { transition: TRANSITION_01, reach: 0.3, repetitions: [1, 7, 13], checkRepetitions: 13 }

/**
 * Finds the weight of the derivative quadrature of the pulses. Written as `rxy.beta` in s where the device
 * file has that instead of `rxy.motzoi`.
 */
export const motzoiParameter = defineRoutine({
  name: 'motzoi_parameter',
  dependsOn: ['ramsey_correction'],
  reads: DRIVEN,
  priors: DRIVE_PRIORS,
  writes: ['rxy.motzoi'],
  optionalWrites: ['rxy.beta'],
  size: dragSize(DRAG),
  *measure(context) {
    const { self } = context
    const { motzoi, checkLimit, fit } = yield* dragOptimum(context, DRAG)
    const scale = self.has('rxy.beta') ? self.number('rxy.duration') / DURATION_IN_SIGMAS : 1
    const [path, unit] = self.has('rxy.beta') ? ['rxy.beta', 's'] : ['rxy.motzoi', '']
    const scaled = { value: motzoi.value * scale, error: motzoi.error * scale }
    return {
      parameters: { [path]: { ...scaled, unit, checkLimit: checkLimit * scale } },
      trace: fit.fit,
      quality: fit.quality,
    }
  },
  check: (context) => checkDrag(context, DRAG),
})
