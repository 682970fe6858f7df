import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  dateIn,
  fromLocalText,
  hoursBetween,
  instantOf,
  shiftDate,
  shiftDays,
  startOfDate,
  timeOfDay,
  toLocalText,
  wallTime,
  zoneOffset,
} from '../../../ui/lib/zone.ts'

const HOUR_MS = 3_600_000
/** Ordinary changes, changes at midnight, one of half an hour, offsets of 45 minutes, and none. */
const ZONES = [
  'Europe/Stockholm',
  'America/New_York',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Kolkata',
  'UTC',
]
const START = Date.UTC(2026, 0, 1)

test('instantOf() inverts wallTime(), apart from the second of two equal times', () => {
  const moment = fc.integer({ min: START / 1_000, max: Date.UTC(2028, 0, 1) / 1_000 })
  fc.assert(
    fc.property(moment, fc.constantFrom(...ZONES), (seconds, zone) => {
      const ms = seconds * 1_000
      const back = instantOf(wallTime(ms, zone), zone)
      expect(back <= ms).toBe(true)
      expect(ms - back).toBeLessThanOrEqual(HOUR_MS)
      expect(wallTime(back, zone)).toEqual(wallTime(ms, zone))
    }),
    { numRuns: 500 },
  )
})

describe.each(ZONES)('%s', (zone) => {
  const dates = Array.from({ length: 400 }, (_, day) => shiftDate('2026-01-01', day))
  const starts = dates.map((date) => startOfDate(date, zone) ?? Number.NaN)

  test('startOfDate() is the first moment of each of 400 days, which follow one another', () => {
    for (const [index, start] of starts.entries()) {
      expect(dateIn(start, zone)).toBe(dates[index] ?? '')
      expect(dateIn(start - 1, zone)).toBe(dates[index - 1] ?? '2025-12-31')
    }
  })

  test('days have 23 to 25 hours, and as many hours on the clock as pass', () => {
    for (const [index, start] of starts.slice(0, -1).entries()) {
      const end = starts[index + 1] ?? Number.NaN
      const hours = (end - start) / HOUR_MS
      expect(hours).toBeGreaterThanOrEqual(23)
      expect(hours).toBeLessThanOrEqual(25)
    }
  })

  test('shiftDays() keeps the time of day wherever it exists', () => {
    for (const start of starts.slice(1, -1)) {
      const noon = start + 12 * HOUR_MS
      const later = shiftDays(noon, 1, zone)
      expect(timeOfDay(later, zone)).toBe(timeOfDay(noon, zone))
      expect(dateIn(later, zone)).toBe(shiftDate(dateIn(noon, zone), 1))
    }
  })
})

test('a day of 23 hours skips an hour of the clock, one of 25 has one twice', () => {
  const zone = 'Europe/Stockholm'
  const hoursOf = (date: string) => {
    const start = startOfDate(date, zone) ?? 0
    const end = startOfDate(shiftDate(date, 1), zone) ?? 0
    return hoursBetween(start, end - 1, zone).map((at) => timeOfDay(at, zone))
  }
  expect(hoursOf('2026-03-29')).toHaveLength(23)
  expect(hoursOf('2026-03-29')).not.toContain('02:00')
  expect(hoursOf('2026-10-25').filter((hour) => hour === '02:00')).toHaveLength(2)
  expect(hoursOf('2026-10-25')).toHaveLength(25)
  expect(hoursOf('2026-11-20')).toHaveLength(24)
})

test('a time that is skipped is as much later as clocks skip, as in the slots of a repetition', () => {
  const skipped = { year: 2026, month: 3, day: 29, hour: 2, minute: 30 }
  expect(new Date(instantOf(skipped, 'Europe/Stockholm')).toISOString()).toBe('2026-03-29T01:30:00.000Z')
})

test('offsets are those of the zone', () => {
  expect(zoneOffset(Date.UTC(2026, 6, 1), 'Europe/Stockholm')).toBe(120)
  expect(zoneOffset(Date.UTC(2026, 0, 1), 'Asia/Kolkata')).toBe(330)
})

test('startOfDate() refuses what is no date', () => {
  for (const text of ['', '2026-02-30', '2026-13-01', 'today', '2026-1-1']) {
    expect(startOfDate(text, 'UTC')).toBeUndefined()
  }
})

test('a date and time control holds local time', () => {
  const ms = Date.UTC(2026, 10, 20, 15)
  expect(fromLocalText('2026-11-20T16:00', 'Europe/Stockholm')).toBe(ms)
  expect(toLocalText(ms, 'Europe/Stockholm')).toBe('2026-11-20T16:00')
  expect(fromLocalText('', 'UTC')).toBeUndefined()
})
