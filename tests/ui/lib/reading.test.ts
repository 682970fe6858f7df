import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  formatBeside,
  formatDecade,
  formatPower,
  formatReading,
  formatReadingLimit,
  readingParts,
} from '../../../ui/lib/reading.ts'

/** No-break spaces as plain ones. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

test.each([
  [48.21, 'K', '48.21 K'],
  [0.8612, 'K', '861.2 mK'],
  [0.00984, 'K', '9.840 mK'],
  [3872, 'K', '3872 K'],
  [5.0312e9, 'Hz', '5.031 GHz'],
  [2.1e-6, 'mbar', '2.10 × 10⁻⁶ mbar'],
  [520, 'mbar', '520.0 mbar'],
  [0, 'K', '0 K'],
  [-0.25, 'V', '−250.0 mV'],
  [0.9999999, 'K', '1.000 K'],
  [12, '', '12.00'],
])('formatReading(%p, %p) is %p', (value, unit, text) => {
  expect(plain(formatReading(value, unit))).toBe(text)
})

test('formatReading() of no number is a dash', () => {
  expect(plain(formatReading(Number.NaN, 'K'))).toBe('– K')
})

test('readingParts() never changes a value by more than its last digit', () => {
  const sizes: Record<string, number> = { K: 1, mK: 1e-3, µK: 1e-6, nK: 1e-9, pK: 1e-12 }
  fc.assert(
    fc.property(fc.double({ min: 1e-11, max: 1e5, noNaN: true }), (value) => {
      const { number, unit } = readingParts(value, 'K')
      if (number.includes('×')) return
      expect(Math.abs(Number(number) * (sizes[unit] ?? Number.NaN) - value) / value).toBeLessThan(1e-3)
    }),
  )
})

test('formatDecade() writes ticks as people do', () => {
  expect(plain(formatDecade(0.01, 'K'))).toBe('10 mK')
  expect(plain(formatDecade(100, 'K'))).toBe('100 K')
  expect(formatDecade(1e-6, 'mbar')).toBe('10⁻⁶')
  expect(formatDecade(0.1, 'mbar')).toBe('0.1')
})

test('formatPower() uses superscripts', () => {
  expect(formatPower(-12)).toBe('10⁻¹²')
  expect(formatPower(4)).toBe('10⁴')
})

test('a reading beyond a limit, and the limit, do not read the same', () => {
  expect(plain(formatBeside(0.0200003, 'K', [0.02]))).toBe('20.0003 mK')
  expect(plain(formatBeside(0.0191, 'K', [0.02]))).toBe('19.10 mK')
  expect(plain(formatBeside(0.02, 'K', [0.02]))).toBe('20.00 mK')
  expect(plain(formatReadingLimit(12.3456, 'K'))).toBe('12.3456 K')
  expect(plain(formatReadingLimit(0.02, 'K'))).toBe('20.0 mK')
})
