import { describe, expect, test } from 'bun:test'
import { shiftDate, timeOfDay } from '../../../../../ui/lib/zone.ts'
import {
  axisOf,
  blocksOf,
  linesOf,
  odditiesOf,
  offsetOf,
  timeAt,
} from '../../../../../ui/pages/bookings/logic/axis.ts'

const MINUTE = 60_000
const ZONES = [
  'Europe/Stockholm',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Havana',
  'Asia/Kolkata',
]
const FIRST = '2026-01-01'

describe('the axis of a week', () => {
  test.each(ZONES)('%s: the place grows with the time and leads back to it, on 400 days', (zone) => {
    const hours = new Set<number>()
    for (let date = FIRST; date < '2027-02-05'; date = shiftDate(date, 7)) {
      const axis = axisOf(date, 7, zone)
      for (const [at, { start, end }] of axis.days.entries()) {
        expect(axis.days[at + 1]?.start ?? end).toBe(end)
        hours.add((end - start) / 3_600_000)
        let before = -1
        for (let ms = start; ms < end; ms += 30 * MINUTE) {
          const place = offsetOf(axis, at, ms)
          expect(place).toBeGreaterThan(before)
          expect(place).toBeLessThan(axis.length)
          expect(timeAt(axis, at, place)).toBe(ms)
          before = place
        }
        expect(offsetOf(axis, at, end)).toBe(axis.length)
      }
    }
    const usual = { 'Asia/Kolkata': [24], 'Australia/Lord_Howe': [23.5, 24, 24.5] }[zone] ?? [23, 24, 25]
    expect([...hours].sort()).toEqual(usual)
  })

  test('a time of day has the same place on all days, below a repeated hour too', () => {
    const axis = axisOf('2026-10-19', 7, 'Europe/Stockholm')
    const lines = linesOf(axis)
    expect(axis.length).toBe(25 * 60)
    expect(lines.filter(({ again }) => again)).toEqual([{ place: 180, label: '02:00', again: true }])
    for (const [at, { start, end }] of axis.days.entries()) {
      for (let ms = start; ms < end; ms += 60 * MINUTE) {
        const line = lines.find(({ place }) => place === offsetOf(axis, at, ms))
        expect(line?.label).toBe(timeOfDay(ms, axis.zone))
      }
    }
  })

  test('a day with 25 hours has the second time as a band, one with 23 hours has a gap', () => {
    const autumn = odditiesOf(axisOf('2026-10-19', 7, 'Europe/Stockholm'))
    expect(autumn.map(({ text }) => text)).toEqual(['', '', '', '', '', '', '02:00–03:00 again'])
    expect(autumn[6]).toMatchObject({ top: 180, bottom: 240 })
    const spring = odditiesOf(axisOf('2026-03-23', 7, 'Europe/Stockholm'))
    expect(spring).toEqual([{ day: 6, top: 120, bottom: 180, text: '02:00–03:00 is skipped' }])
    expect(odditiesOf(axisOf('2026-03-02', 7, 'America/Havana'))).toMatchObject([
      { day: 6, top: 0, bottom: 60 },
    ])
  })

  test('a place in a gap is the time after it', () => {
    const axis = axisOf('2026-03-23', 7, 'Europe/Stockholm')
    expect(timeOfDay(timeAt(axis, 6, 150), axis.zone)).toBe('03:00')
  })

  test('a range over midnight has a block for each day', () => {
    const axis = axisOf('2026-11-16', 7, 'UTC')
    const start = Date.UTC(2026, 10, 16, 22)
    expect(blocksOf(axis, { start, end: start + 4 * 60 * MINUTE })).toEqual([
      { day: 0, top: 1_320, bottom: 1_440 },
      { day: 1, top: 0, bottom: 120 },
    ])
    expect(blocksOf(axis, { start: 0, end: 1 })).toEqual([])
  })
})
