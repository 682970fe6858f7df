import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromTimestamp, toTimestamp } from '../../src/base/index.ts'

const NINE = Date.UTC(2026, 0, 31, 9, 5)

describe('fromTimestamp()', () => {
  test.each([
    ['2026-01-31 09:05:00.000Z', NINE],
    ['2026-01-31T09:05:00Z', NINE],
    ['2026-01-31T10:05:00+01:00', NINE],
    ['2026-01-31 09:05:00', NINE],
    ['2026-01-31 09:05', NINE],
    ['2026-01-31', Date.UTC(2026, 0, 31)],
    ['2028-02-29', Date.UTC(2028, 1, 29)],
    ['2026-12-31T23:30:00-01:00', Date.UTC(2027, 0, 1, 0, 30)],
  ])('reads %p', (text, ms) => {
    expect(fromTimestamp(text)).toBe(ms)
  })

  test.each([
    ...['', 'now', '31.01.2026', '2026-13-01', '2026-01-31 25:00:00Z', '1769850300', '2026-1-31'],
    ...['2026-02-30', '2026-02-29 12:00:00.000Z', '2026-04-31T09:00:00+02:00', '2026-01-00'],
  ])('does not read %p', (text) => {
    expect(fromTimestamp(text)).toBeUndefined()
  })
})

test('toTimestamp() writes what fromTimestamp() reads back, in an order that sorts as text', () => {
  const ms = fc.integer({ min: 0, max: Date.UTC(9999, 0) })
  fc.assert(
    fc.property(ms, ms, (a, b) => {
      expect(fromTimestamp(toTimestamp(a))).toBe(a)
      expect(toTimestamp(a) < toTimestamp(b)).toBe(a < b)
    }),
  )
})
