import { DRIVE_PRIORS, DRIVEN, ROUGH_T2_STAR } from '../../measure/inputs.ts'
import { foundByWait, testedT1 } from '../../measure/relaxation.ts'
import { TRANSITION_01 } from '../../measure/transition.ts'
import { defineRoutine } from '../../routine.ts'
import {
  checkFineAmplitude,
  fineAmplitudeSize,
  fineHalfTurn,
  fineQuarterTurn,
} from '../transition/fine-amplitude.ts'

const FINE = { transition: TRANSITION_01, reach: 0.05, repetitions: [1, 7, 13, 19], checkRepetitions: 13 }

/**
 * Refines the amplitude of the pi pulse, and finds that of the quarter turn. Where no T1 is known, it tests
 * the wait between shots as the coarse routine does, which a partial calibration may have left out.
 */
export const nRabiOscillations = defineRoutine({
  name: 'n_rabi_oscillations',
  dependsOn: ['motzoi_parameter'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, ROUGH_T2_STAR, 'coherence.t2_star'],
  writes: ['rxy.amp180'],
  optionalWrites: ['fine.amp90'],
  refiner: true,
  size: { ...fineAmplitudeSize(2 * FINE.repetitions.length), firstPart: 1 / 4 },
  *measure(context) {
    const { self } = context
    const amp180 = self.number('rxy.amp180')
    const t1 = yield* testedT1(context, amp180)
    const half = yield* fineHalfTurn(context, { ...FINE, t1 })
    // Not the present one: it may belong to another half turn, and compression makes 2 % at most.
    const quarter = yield* fineQuarterTurn(context, { ...FINE, t1 }, half.parameter.value / 2)
    return {
      parameters: { 'rxy.amp180': half.parameter, 'fine.amp90': quarter.parameter },
      trace: half.fit.fit,
      quality: { ...half.fit.quality, quarter_r2: quarter.fit.quality['r2'] ?? 0 },
      ...foundByWait(context, t1),
    }
  },
  check: (context) => checkFineAmplitude(context, FINE),
})
