import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  fittingRange,
  MIN_RANGE_MS,
  rangeQuery,
  readRange,
} from '../../../../../ui/pages/monitoring/readings/range.ts'

const NOW = Date.parse('2026-11-20T14:22:05Z')
const read = (query: string) => readRange((name) => new URLSearchParams(query).get(name) ?? '', NOW)

test('readRange() is the last day unless the address names another range', () => {
  expect(read('')).toEqual({ from: NOW - 86_400_000, to: NOW, isLive: true, key: '24h' })
  expect(read('range=1h')).toMatchObject({ from: NOW - 3_600_000, isLive: true, key: '1h' })
  expect(read('range=2w')).toMatchObject({ key: '24h' })
})

test('fittingRange() is the shortest one with all readings of the last day', () => {
  const hours = (...ago: number[]) =>
    fittingRange(
      ago.map((each) => NOW - each * 3_600_000),
      NOW,
    )
  expect(hours(0.2, 0.1)).toBe('1h')
  expect(hours(0.2, 5)).toBe('6h')
  expect(hours(23)).toBe('24h')
  expect(hours()).toBe('7d')
  expect(readRange(() => '', NOW, hours(0.5))).toMatchObject({ from: NOW - 3_600_000, key: '1h' })
})

test('readRange() reads a range of its own, which ends now without an end', () => {
  expect(read('from=2026-11-20T02:00:00Z&to=2026-11-20T05:00:00Z')).toEqual({
    from: Date.parse('2026-11-20T02:00:00Z'),
    to: Date.parse('2026-11-20T05:00:00Z'),
    isLive: false,
    key: '',
  })
  expect(read('from=2026-11-20T02:00:00Z')).toMatchObject({ to: NOW, isLive: true })
})

test.each(['from=yesterday', 'from=2026-11-20T05:00:00Z&to=2026-11-20T05:00:00Z', 'from=2030-01-01T00:00Z'])(
  'readRange() takes %p for the last day',
  (query) => expect(read(query)).toMatchObject({ key: '24h' }),
)

test('rangeQuery() is read as the same range, widened to the shortest one', () => {
  const moments = fc.integer({ min: 1e12, max: 2e12 })
  fc.assert(
    fc.property(moments, fc.nat(1e9), (from, length) => {
      const query = rangeQuery(from, from + length)
      const range = readRange((name) => new Map(Object.entries(query)).get(name) ?? '', NOW)
      expect(range.key).toBe('')
      expect(range.to - range.from).toBeGreaterThanOrEqual(MIN_RANGE_MS)
      if (length >= MIN_RANGE_MS) expect([range.from, range.to]).toEqual([from, from + length])
    }),
  )
})
