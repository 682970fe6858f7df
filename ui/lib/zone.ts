/** Dates and times of day in IANA time zones. Days have 23, 24 or 25 hours, and a few begin at 1:00. */
import { timeZone, type WallTime } from '../../src/base/portable/time-zone.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/base/portable/units.ts'

/** What a clock in the zone shows at a time (Unix ms). */
export function wallTime(ms: number, zone: string): WallTime {
  return timeZone(zone).wallTimeAt(ms)
}

/** Minutes by which the zone is ahead of UTC at a time. */
export function zoneOffset(ms: number, zone: string): number {
  return Math.round(timeZone(zone).offsetAt(ms) / MINUTE_MS)
}

/** When a clock in the zone shows a time; `TimeZone.instantOf()` for times that it shows twice or skips. */
export function instantOf(
  wall: Partial<WallTime> & Pick<WallTime, 'year' | 'month' | 'day'>,
  zone: string,
): number {
  return timeZone(zone).instantOf({ hour: 0, minute: 0, second: 0, ...wall })
}

/** The date in the zone at a time, `2026-11-20`. */
export function dateIn(ms: number, zone: string): string {
  const { year, month, day } = wallTime(ms, zone)
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`
}

/** The time of day in the zone, `09:05`. */
export function timeOfDay(ms: number, zone: string): string {
  const { hour, minute } = wallTime(ms, zone)
  return `${pad(hour)}:${pad(minute)}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

/** The first moment of a date (`2026-11-20`) in the zone; undefined for text that is no date. */
export function startOfDate(date: string, zone: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date)
  if (!match) return undefined
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  const utc = new Date(Date.UTC(year, month - 1, day))
  if (utc.getUTCMonth() !== month - 1 || utc.getUTCDate() !== day) return undefined
  return instantOf({ year, month, day }, zone)
}

/** The date some days later (or earlier). */
export function shiftDate(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** The same time of day some days later; as much later as clocks are put forward if that day skips it. */
export function shiftDays(ms: number, days: number, zone: string): number {
  const wall = wallTime(ms, zone)
  return instantOf({ ...wall, day: wall.day + days }, zone)
}

/** Full hours of the clock between two times at which `hour` is a multiple of `every`, both ends included. */
export function hoursBetween(from: number, to: number, zone: string, every = 1): number[] {
  const hours: number[] = []
  // Offsets are multiples of a quarter of an hour today.
  const step = HOUR_MS / 4
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const { hour, minute } = wallTime(at, zone)
    if (minute === 0 && hour % every === 0) hours.push(at)
  }
  return hours
}

/** A time as a `datetime-local` control holds it: `2026-11-20T16:00`. */
export function toLocalText(ms: number, zone: string): string {
  return `${dateIn(ms, zone)}T${timeOfDay(ms, zone)}`
}

/** The time of a `datetime-local` control in a zone; undefined if it is empty. */
export function fromLocalText(text: string, zone: string): number | undefined {
  const match = /^(\d{4,6})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/.exec(text)
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.slice(1).map(Number)
  return instantOf({ year, month, day, hour, minute }, zone)
}

/**
 * The time of a control that showed `before`: that itself while its text is the same, since a clock that is
 * put back shows an hour twice.
 */
export function editedTime(text: string, before: number | undefined, zone: string): number | undefined {
  return before !== undefined && toLocalText(before, zone) === text.slice(0, 'YYYY-MM-DDTHH:MM'.length)
    ? before
    : fromLocalText(text, zone)
}
