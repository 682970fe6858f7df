import { DRIVE_12_PRIORS, DRIVEN_12 } from '../../measure/inputs.ts'
import { TRANSITION_12 } from '../../measure/transition.ts'
import { defineRoutine } from '../../routine.ts'
import { ramseyOn } from '../transition/ramsey.ts'

/** State 2 decays twice as fast as state 1: delays are shorter than on the other transition, s. */
const FIRST_WINDOW_S = 6e-6
const MAX_WINDOW_S = 12e-6
const CHECK_DELAY_S = 1.5e-6

/** Corrects the frequency between states 1 and 2 by Ramsey fringes. */
export const ramseyCorrection12 = defineRoutine({
  name: 'ramsey_correction_12',
  dependsOn: ['rabi_oscillations_12'],
  reads: DRIVEN_12,
  priors: DRIVE_12_PRIORS,
  writes: ['clock_freqs.f12'],
  needs: ['r12'],
  refiner: true,
  ...ramseyOn({
    transition: TRANSITION_12,
    firstWindow: FIRST_WINDOW_S,
    maxWindow: MAX_WINDOW_S,
    checkDelay: () => CHECK_DELAY_S,
  }),
})
