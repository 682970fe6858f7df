import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  freeWithin,
  joined,
  nearestFree,
  overlapping,
  shortened,
} from '../../../../../ui/pages/bookings/logic/conflicts.ts'

const range = (from: number, to: number) => ({ start: from, end: to })
const ranges = fc
  .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 30 }))
  .map(([start, length]) => range(start, start + length))
const busyRanges = fc.array(ranges, { maxLength: 8 })
const LIMITS = range(0, 130)

describe('conflicts', () => {
  test('ranges that only touch do not overlap', () => {
    const busy = [range(12, 15), range(8, 10)]
    expect(overlapping(range(10, 12), busy)).toEqual([])
    expect(overlapping(range(9, 13), busy)).toEqual([range(8, 10), range(12, 15)])
  })

  test('nearestFree() moves a slot as little as possible', () => {
    expect(nearestFree(range(11, 13), [range(12, 15)], LIMITS)).toEqual(range(10, 12))
    expect(nearestFree(range(11, 13), [range(7, 11), range(12, 15)], LIMITS)).toEqual(range(15, 17))
    expect(nearestFree(range(1, 3), [range(0, 130)], LIMITS)).toBeUndefined()
    // The past is not offered.
    expect(nearestFree(range(1, 3), [range(2, 9)], range(1, 130))).toEqual(range(9, 11))
  })

  test('nearestFree() is free, within the limits, and no other free place is nearer', () => {
    fc.assert(
      fc.property(ranges, busyRanges, (wanted, busy) => {
        const length = wanted.end - wanted.start
        const places = Array.from({ length: LIMITS.end - length + 1 }, (_, start) =>
          range(start, start + length),
        )
        const free = places.filter((place) => overlapping(place, busy).length === 0)
        const found = nearestFree(wanted, busy, LIMITS)
        if (free.length === 0) return expect(found).toBeUndefined()
        expect(free).toContainEqual(found ?? range(0, 0))
        const distances = free.map(({ start }) => Math.abs(start - wanted.start))
        expect(Math.abs((found?.start ?? 0) - wanted.start)).toBe(Math.min(...distances))
      }),
      { numRuns: 500 },
    )
  })

  test('shortened() ends where the first conflict begins', () => {
    expect(shortened(range(10, 14), [range(13, 15), range(12, 13)])).toEqual(range(10, 12))
    expect(shortened(range(10, 14), [range(9, 11)])).toBeUndefined()
    expect(shortened(range(10, 14), [])).toBeUndefined()
  })

  test('free and busy ranges fill the limits without overlapping', () => {
    fc.assert(
      fc.property(busyRanges, (busy) => {
        const free = freeWithin(LIMITS, busy)
        for (const each of free) expect(overlapping(each, busy)).toEqual([])
        const covered = joined([...free, ...busy]).filter(({ start, end }) => start <= 0 && end >= LIMITS.end)
        expect(covered).toHaveLength(1)
      }),
      { numRuns: 300 },
    )
  })
})
