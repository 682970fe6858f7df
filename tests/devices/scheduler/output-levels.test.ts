import { expect, test } from 'bun:test'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { outputLevels } from '../../../src/devices/scheduler/output-levels.ts'
import { compileText, FIVE_QUBITS } from '../../support/scheduler/five-qubits.ts'

test('levels of the strongest pulse of each port, in dBm where the device file has a reference', () => {
  const file = readDeviceFile(
    'q0: {element_type: {path: a.BasicTransmonElement}, rxy: {reference_magnitude: {dBm: -20}}}\n' +
      'q1: {element_type: {path: a.BasicTransmonElement}}',
  )
  if ('problems' in file) throw new Error(file.problems.join())
  const text =
    'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; sx q; x q; barrier q; x q; c = measure q;'
  const { schedule } = compileText(text, 1).circuit
  // The π pulse has amplitude 0.5, the readout 0.2.
  expect(outputLevels(schedule, file.chip, FIVE_QUBITS.hardware)).toEqual({
    'q0:mw': '-6.0 dB of full scale, attenuator 10 dB, -26.0 dBm',
    'q1:mw': '-6.0 dB of full scale, attenuator 10 dB',
    'q0:res': '-14.0 dB of full scale, attenuator 20 dB',
    'q1:res': '-14.0 dB of full scale, attenuator 20 dB',
  })
})
