import { expect, test } from 'bun:test'
import { parseCondition } from '../../../src/cli/client/quality-condition.ts'

test('conditions are read with their comparisons, and one that cannot be read is refused', () => {
  expect(
    parseCondition(['readout_fidelity > 0.97', 'two_qubit_error<=0.01', 'calibrated_within=2h']),
  ).toEqual({ readout_fidelity: '>0.97', two_qubit_error: '<=0.01', calibrated_within: '2h' })
  expect(() => parseCondition(['readout_fidelity'])).toThrow(
    'expected a condition such as "readout_fidelity>0.97"',
  )
  expect(() => parseCondition(['t<1', 't<2'])).toThrow('--require: t is given twice')
})
