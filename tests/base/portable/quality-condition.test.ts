import { expect, test } from 'bun:test'
import {
  formatQualityCondition,
  parseQualityCondition,
} from '../../../src/base/portable/quality-condition.ts'

test('conditions are read with their comparisons and written again; one that cannot be read is refused', () => {
  const condition = { readout_fidelity: '>0.97', two_qubit_error: '<=0.01', calibrated_within: '2h' }
  const texts = ['readout_fidelity > 0.97', 'two_qubit_error<=0.01', ' calibrated_within=2h']
  expect(parseQualityCondition(texts)).toEqual(condition)
  expect(parseQualityCondition(formatQualityCondition(condition).split(','))).toEqual(condition)
  expect(() => parseQualityCondition(['t'])).toThrow(
    't: expected a condition such as "readout_fidelity>0.97"',
  )
  expect(() => parseQualityCondition(['t<1', 't<2'])).toThrow('t is given twice')
})
