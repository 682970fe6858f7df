import { describe, expect, test } from 'bun:test'
import { isTimeZone, timeZone } from '../../../src/base/index.ts'

const HOUR = 3_600_000
const ZONES = [
  'Europe/Stockholm',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
] as const
const instant = (text: string) => Date.parse(text)

describe('TimeZone', () => {
  test('converts every quarter of an hour of 400 days there and back, in five zones', () => {
    for (const name of ZONES) {
      const zone = timeZone(name)
      const first = instant('2026-01-01T00:00:00Z')
      for (let at = first; at < first + 400 * 24 * HOUR; at += HOUR * 0.75) {
        const wall = zone.wallTimeAt(at)
        const back = zone.instantOf(wall)
        // Of a time that clocks show twice the first is taken, at most an hour before.
        if (back !== at) {
          expect([name, at - back]).toEqual([name, zone.offsetAt(back) - zone.offsetAt(at)])
          expect(zone.wallTimeAt(back)).toEqual(wall)
        }
      }
    }
  })

  test('takes the first of two times, and moves a time that clocks skip', () => {
    const zone = timeZone('Europe/Stockholm')
    const at = (month: number, day: number, hour: number) =>
      new Date(zone.instantOf({ year: 2026, month, day, hour, minute: 30, second: 0 })).toISOString()
    expect(at(10, 25, 2)).toBe('2026-10-25T00:30:00.000Z')
    expect(at(3, 29, 2)).toBe('2026-03-29T01:30:00.000Z')
    expect(zone.wallTimeAt(instant('2026-03-29T01:30:00Z'))).toMatchObject({ hour: 3, minute: 30 })
  })

  test('carries over days beyond the end of a month', () => {
    const zone = timeZone('Asia/Kolkata')
    const at = zone.instantOf({ year: 2026, month: 12, day: 38, hour: 0, minute: 0, second: 0 })
    expect(zone.wallTimeAt(at)).toEqual({ year: 2027, month: 1, day: 7, hour: 0, minute: 0, second: 0 })
  })

  test('refuses names that are no zone', () => {
    expect(() => timeZone('Europe/Atlantis')).toThrow(RangeError)
    expect(['UTC', 'Europe/Kyiv', 'Mars/Base', ''].map(isTimeZone)).toEqual([true, true, false, false])
  })
})
