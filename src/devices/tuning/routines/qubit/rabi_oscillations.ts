import { DRIVE_PRIORS, READOUT } from '../../measure/inputs.ts'
import { TRANSITION_01 } from '../../measure/transition.ts'
import { defineRoutine } from '../../routine.ts'
import { rabiOn } from '../transition/rabi.ts'

/** Finds the amplitudes of the pi pulse and of the quarter turn. */
export const rabiOscillations = defineRoutine({
  name: 'rabi_oscillations',
  dependsOn: ['qubit_01_spectroscopy'],
  reads: ['clock_freqs.f01', 'rxy.duration', ...READOUT],
  priors: [...DRIVE_PRIORS, 'rxy.amp180'],
  writes: ['rxy.amp180'],
  optionalWrites: ['fine.amp90'],
  ...rabiOn({
    transition: TRANSITION_01,
    sweeps: [
      { stop: 0.5, part: 0.8 },
      { stop: 1, part: 1 },
    ],
    check: { pulses: 5, limit: 0.1 },
  }),
})
