import { DRIVE_PRIORS, DRIVEN } from '../../measure/inputs.ts'
import { defineRoutine } from '../../routine.ts'
import { EXCITED_SIZE, measureExcitedLine } from './excited-line.ts'

/** Finds the line of a readout resonator with its qubit in state 1. */
export const resonatorSpectroscopy1 = defineRoutine({
  name: 'resonator_spectroscopy_1',
  dependsOn: ['rabi_oscillations'],
  reads: DRIVEN,
  priors: [...DRIVE_PRIORS, 'resonator.linewidth'],
  optionalWrites: ['resonator.readout_1'],
  size: EXCITED_SIZE,
  measure: (context) => measureExcitedLine(context, 1, 'resonator.readout_1'),
})
