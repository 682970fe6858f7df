import { DRIVE_12_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { TRANSITION_12 } from '../../measure/transition.ts'
import { defineRoutine } from '../../routine.ts'
import { rabiOn } from '../transition/rabi.ts'

/** Finds the amplitude of the pi pulse between states 1 and 2; the sweep has to hold 3/4 of a period. */
export const rabiOscillations12 = defineRoutine({
  name: 'rabi_oscillations_12',
  dependsOn: ['qubit_12_spectroscopy'],
  reads: [...DRIVEN, 'clock_freqs.f12'],
  priors: [...DRIVE_12_PRIORS, 'r12.ef_amp180'],
  writes: ['r12.ef_amp180'],
  needs: ['r12'],
  ...rabiOn({
    transition: TRANSITION_12,
    sweeps: [{ stop: 1, part: 2 / 3 }],
    check: { pulses: 3, limit: 0.15 },
    remedy: '; lengthen r12.ef_duration',
  }),
})
