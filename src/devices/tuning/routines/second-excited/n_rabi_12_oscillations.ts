import { DRIVE_12_PRIORS, DRIVEN_12 } from '../../measure/inputs.ts'
import { TRANSITION_12 } from '../../measure/transition.ts'
import { defineRoutine } from '../../routine.ts'
import { checkFineAmplitude, fineAmplitudeSize, fineHalfTurn } from '../transition/fine-amplitude.ts'

const FINE = { transition: TRANSITION_12, reach: 0.06, repetitions: [1, 3, 5, 7], checkRepetitions: 13 }

/** Refines the amplitude of the pi pulse between states 1 and 2. */
export const nRabi12Oscillations = defineRoutine({
  name: 'n_rabi_12_oscillations',
  dependsOn: ['motzoi_12_parameter'],
  reads: DRIVEN_12,
  priors: DRIVE_12_PRIORS,
  writes: ['r12.ef_amp180'],
  needs: ['r12'],
  refiner: true,
  size: { ...fineAmplitudeSize(FINE.repetitions.length), firstPart: 1 / 4 },
  *measure(context) {
    const { parameter, fit } = yield* fineHalfTurn(context, FINE)
    return { parameters: { 'r12.ef_amp180': parameter }, trace: fit.fit, quality: fit.quality }
  },
  check: (context) => checkFineAmplitude(context, FINE),
})
