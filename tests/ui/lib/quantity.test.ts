import { expect, test } from 'bun:test'
import { formatLimit, formatQuantity } from '../../../ui/lib/quantity.ts'

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

test.each([
  [97.48, { limit: 97.5, digits: 1 }, '97.48'],
  [97.52, { limit: 97.5, digits: 1 }, '97.52'],
  [97.4999, { limit: 97.5, uncertainty: 0.2 }, '97.4999(2000)'],
  [97.2, { limit: 97.5, uncertainty: 0.2 }, '97.2(2)'],
  [97.5, { limit: 97.5, digits: 1 }, '97.5'],
  [49_960, { limit: 50_000, uncertainty: 300 }, '49\u00a0960(300)'],
  [0.01233999, { limit: 0.01234 }, '0.01233999'],
])('formatQuantity(%d, %o) shows on which side of the limit the value is: %s', (value, format, text) => {
  expect(formatQuantity(value, format)).toBe(text)
})

test('formatLimit() shows every digit of a limit', () => {
  expect([97.5, 0.975 * 100, 97.512, 50_000, 0.1 + 0.2].map((limit) => formatLimit(limit, 1))).toEqual([
    '97.5',
    '97.5',
    '97.512',
    '50\u00a0000.0',
    '0.3',
  ])
})
