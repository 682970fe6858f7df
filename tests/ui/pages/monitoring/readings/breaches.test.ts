import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { breachRanges } from '../../../../../ui/pages/monitoring/readings/breaches.ts'

const STEP = 60
const line = (max: number[], at = max.map((_, index) => index * STEP), gapMs = 10 * STEP) => ({
  key: 'a',
  label: 'A',
  at,
  mean: max,
  max,
  min: max,
  gapMs,
})

test('breachRanges() joins neighboring buckets and has the peak of each range', () => {
  expect(breachRanges(line([1, 3, 5, 4, 1, 9]), { kind: 'above', limit: 2 }, STEP)).toEqual([
    { from: STEP, to: 4 * STEP, peak: 5, isOpen: false },
    { from: 5 * STEP, to: 6 * STEP, peak: 9, isOpen: true },
  ])
})

test('breachRanges() below a limit have the lowest value as peak', () => {
  expect(breachRanges(line([5, 1, 2]), { kind: 'below', limit: 3 }, STEP)).toEqual([
    { from: STEP, to: 3 * STEP, peak: 1, isOpen: true },
  ])
})

test('breachRanges() end at a gap of the readings', () => {
  const interrupted = line([5, 5], [0, 20 * STEP])
  expect(breachRanges(interrupted, { kind: 'above', limit: 2 }, STEP)).toHaveLength(2)
})

test('breachRanges() contain each bucket beyond the limit once, and no other', () => {
  const values = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 50 })
  fc.assert(
    fc.property(values, fc.constantFrom('above' as const, 'below' as const), (list, kind) => {
      const ranges = breachRanges(line(list), { kind, limit: 2 }, STEP)
      list.forEach((value, index) => {
        const holders = ranges.filter(({ from, to }) => from <= index * STEP && index * STEP < to)
        expect(holders).toHaveLength((kind === 'above' ? value > 2 : value < 2) ? 1 : 0)
      })
    }),
  )
})
