import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { timeZone } from '../../../src/base/index.ts'
import { MAX_WEEKS, repeatWeekly, weeksUntil } from '../../../src/server/bookings/repeat.ts'

const HOUR = 3_600_000
const ZONES = ['Europe/Stockholm', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tokyo', 'UTC']

describe('repeatWeekly()', () => {
  test('keeps the time of day over a change of the clocks', () => {
    const start = Date.parse('2026-10-21T08:00:00Z')
    const slots = repeatWeekly({ start, end: start + 2 * HOUR, zone: 'Europe/Stockholm', weeks: 2 })
    expect(slots.map((slot) => new Date(slot.start).toISOString())).toEqual([
      '2026-10-21T08:00:00.000Z',
      '2026-10-28T09:00:00.000Z',
    ])
  })

  test('every slot lasts as long, a week after the one before up to the change of the clocks', () => {
    const times = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) })
    const lengths = fc.integer({ min: 1, max: 24 * HOUR })
    fc.assert(
      fc.property(
        times,
        lengths,
        fc.constantFrom(...ZONES),
        fc.integer({ min: 1, max: MAX_WEEKS }),
        (start, length, zone, weeks) => {
          const slots = repeatWeekly({ start, end: start + length, zone, weeks })
          expect(slots).toHaveLength(weeks)
          expect(slots[0]).toEqual({ start, end: start + length })
          for (const [index, slot] of slots.entries()) {
            expect(slot.end - slot.start).toBe(length)
            expect(Math.abs(slot.start - (start + index * 7 * 24 * HOUR))).toBeLessThanOrEqual(HOUR)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  test('weeksUntil() is the number of slots up to and including a day', () => {
    const zone = 'America/New_York'
    const clocks = timeZone(zone)
    const start = Date.parse('2026-11-18T03:00:00Z') // the 17th there
    const count = (until: string) => weeksUntil(start, zone, until)
    expect(['2026-11-16', '2026-11-17', '2026-11-23', '2026-11-24', '2026-12-31'].map(count)).toEqual([
      ...[0, 1, 1, 2, 7],
    ])
    const last = repeatWeekly({ start, end: start + HOUR, zone, weeks: count('2026-12-31') }).at(-1)
    expect(clocks.wallTimeAt(last?.start ?? 0)).toMatchObject({ month: 12, day: 29, hour: 22 })
  })
})
