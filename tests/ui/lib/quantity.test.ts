import { expect, test } from 'bun:test'
import { formatQuantity } from '../../../ui/lib/quantity.ts'

test.each([
  [0.9891, { uncertainty: 0.004 }, '0.989(4)'],
  [5.12345, { unit: 'GHz', uncertainty: 0.00012 }, '5.12345(12)\u00a0GHz'],
  [48_213.4, { unit: 'ns', uncertainty: 320 }, '48\u00a0200(300)\u00a0ns'],
  [-0.31, { uncertainty: 0.02 }, '\u22120.31(2)'],
  [0.8614, { unit: 'K' }, '0.8614\u00a0K'],
  [12_345.6, {}, '12\u00a0346'],
  [3, { digits: 2 }, '3.00'],
  [0, { unit: 'K' }, '0\u00a0K'],
  [2.5e-6, { unit: 'mbar' }, '2.500\u00a0×\u00a010⁻⁶\u00a0mbar'],
  [Number.NaN, {}, '–'],
])('formatQuantity(%d, %o) is %s', (value, format, text) => {
  expect(formatQuantity(value, format)).toBe(text)
})
