import { DAY_MS, toTimestamp } from '../../../base/index.ts'

type Macro = (now: number) => string | number

function utc(now: number): { year: number; month: number; day: number } {
  const date = new Date(now)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() }
}

/** The UTC midnight that begins the day `days` after that of `now`. */
function dayStart(now: number, days: number): number {
  const { year, month, day } = utc(now)
  return Date.UTC(year, month, day + days)
}

/** The UTC midnight that begins the month `months` after that of `now`. */
function monthStart(now: number, months: number): number {
  const { year, month } = utc(now)
  return Date.UTC(year, month + months)
}

/** Names for a time or a part of it, at `now` in ms since the epoch, in UTC. */
export const MACROS: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ['@now', toTimestamp],
  ['@yesterday', (now) => toTimestamp(now - DAY_MS)],
  ['@tomorrow', (now) => toTimestamp(now + DAY_MS)],
  ['@todayStart', (now) => toTimestamp(dayStart(now, 0))],
  ['@todayEnd', (now) => toTimestamp(dayStart(now, 1) - 1)],
  ['@monthStart', (now) => toTimestamp(monthStart(now, 0))],
  ['@monthEnd', (now) => toTimestamp(monthStart(now, 1) - 1)],
  ['@yearStart', (now) => toTimestamp(Date.UTC(utc(now).year, 0))],
  ['@yearEnd', (now) => toTimestamp(Date.UTC(utc(now).year + 1, 0) - 1)],
  ['@second', (now) => new Date(now).getUTCSeconds()],
  ['@minute', (now) => new Date(now).getUTCMinutes()],
  ['@hour', (now) => new Date(now).getUTCHours()],
  ['@day', (now) => new Date(now).getUTCDate()],
  ['@month', (now) => new Date(now).getUTCMonth() + 1],
  ['@weekday', (now) => new Date(now).getUTCDay()],
  ['@year', (now) => new Date(now).getUTCFullYear()],
])
