import { DRIVE_12_PRIORS, DRIVEN_12 } from '../../measure/inputs.ts'
import { defineRoutine } from '../../routine.ts'
import { EXCITED_SIZE, measureExcitedLine } from './excited-line.ts'

/** Finds the line of a readout resonator with its qubit in state 2. */
export const resonatorSpectroscopy2 = defineRoutine({
  name: 'resonator_spectroscopy_2',
  dependsOn: ['rabi_oscillations_12'],
  reads: DRIVEN_12,
  priors: [...DRIVE_12_PRIORS, 'resonator.linewidth', 'resonator.readout_1'],
  optionalWrites: ['resonator.readout_2'],
  needs: ['r12'],
  size: EXCITED_SIZE,
  measure: (context) => measureExcitedLine(context, 2, 'resonator.readout_2'),
})
