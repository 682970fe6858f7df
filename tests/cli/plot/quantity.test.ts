import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatBeside, formatEstimate, scaleOf, ticksBetween } from '../../../src/cli/plot/quantity.ts'

describe('formatEstimate()', () => {
  test.each([
    [4.419834e9, 12_345, 'Hz', '4.419834 ± 0.000012 GHz'],
    [143.2e-6, 12.4e-6, 's', '143 ± 12 µs'],
    [0.4931, 0.00113, '', '0.4931 ± 0.0011'],
    [-1.25e-3, undefined, 'A', '-1.25 mA'],
    [0, 3e-4, 'A', '0 ± 300 µA'],
    [0.5, Number.NaN, '', '0.5'],
    [90, 1.5, 'deg', '90.0 ± 1.5 deg'],
  ])('writes %p ± %p %s as %s', (value, error, unit, text) => {
    expect(formatEstimate(value, error, unit)).toBe(text)
  })

  test('is within half a unit of its last digit of the value', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-9, max: 1e10, noNaN: true }),
        fc.double({ min: 1e-5, max: 0.3, noNaN: true }),
        (value, relative) => {
          const [text = ''] = formatEstimate(value, value * relative, 'Hz').split(' ')
          const read = Number(text) * scaleOf(value, 'Hz').factor
          expect(Math.abs(read - value)).toBeLessThanOrEqual(value * relative * 0.5)
        },
      ),
      { seed: 1, numRuns: 200 },
    )
  })
})

test('formatBeside() shows a difference that is as small as the error', () => {
  const estimate = { value: 6.60950275e9, error: 570 }
  expect(formatBeside(6.60942786e9, estimate, 'Hz')).toBe('6.60942786 GHz')
  expect(formatBeside(6.6e9, estimate, 'Hz')).toBe('6.6 GHz')
})

describe('ticksBetween()', () => {
  test('are round', () => {
    expect(ticksBetween(0, 1, 5).map(({ text }) => text)).toEqual(['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'])
    expect(ticksBetween(6.6044, 6.6144, 3).map(({ text }) => text)).toEqual(['6.605', '6.610'])
    expect(ticksBetween(3, 3, 4)).toEqual([{ value: 3, text: '3' }])
  })

  test('lie in the range, differ from each other, and are not too many', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e3, max: 1e3, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        fc.integer({ min: 2, max: 12 }),
        (low, span, count) => {
          const ticks = ticksBetween(low, low + span, count)
          const slack = span * 1e-4
          expect(ticks.every(({ value }) => value >= low - slack && value <= low + span + slack)).toBe(true)
          expect(new Set(ticks.map(({ text }) => text)).size).toBe(ticks.length)
          expect(ticks.length).toBeLessThanOrEqual(count + 1)
        },
      ),
      { seed: 2, numRuns: 300 },
    )
  })
})
