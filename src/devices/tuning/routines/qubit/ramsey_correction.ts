import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { TRANSITION_01 } from '../../measure/transition.ts'
import { defineRoutine } from '../../routine.ts'
import { ramseyOn } from '../transition/ramsey.ts'

const DEFAULT_T2_STAR_S = 10e-6

/** Corrects the frequency of a qubit by Ramsey fringes. */
export const ramseyCorrection = defineRoutine({
  name: 'ramsey_correction',
  dependsOn: ['rabi_oscillations'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, 'coherence.t2_star'],
  writes: ['clock_freqs.f01'],
  refiner: true,
  ...ramseyOn({
    transition: TRANSITION_01,
    firstWindow: 10e-6,
    maxWindow: 60e-6,
    checkDelay: ({ self }, t2Star) => (t2Star ?? self.optional('coherence.t2_star') ?? DEFAULT_T2_STAR_S) / 4,
  }),
})
