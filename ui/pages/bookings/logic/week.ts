import { DAY_MS } from '../../../../src/base/portable/units.ts'
import { dateIn, shiftDate } from '../../../lib/zone.ts'

/** The Monday of the week of a date. */
export function mondayOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay()
  return shiftDate(date, -((day + 6) % 7))
}

/** The ISO week of a date: `2026-W47`. */
export function weekOf(date: string): string {
  // The week belongs to the year of its Thursday.
  const thursday = shiftDate(mondayOf(date), 3)
  const first = Date.parse(`${thursday.slice(0, 4)}-01-01T00:00:00Z`)
  const number = Math.floor((Date.parse(`${thursday}T00:00:00Z`) - first) / DAY_MS / 7) + 1
  return `${thursday.slice(0, 4)}-W${String(number).padStart(2, '0')}`
}

/** The Monday of an ISO week; undefined for other text. */
export function mondayOfWeek(week: string): string | undefined {
  const match = /^(\d{4})-W(\d{2})$/.exec(week)
  if (!match) return undefined
  // The 4th of January is in the first week.
  const monday = shiftDate(mondayOf(`${match[1]}-01-04`), 7 * (Number(match[2]) - 1))
  return weekOf(monday) === week ? monday : undefined
}

/** The week that is shown: the one of the address, or the current one. */
export function shownMonday(week: string, nowMs: number, zone: string): string {
  return mondayOfWeek(week) ?? mondayOf(dateIn(nowMs, zone))
}

const FORMAT = { timeZone: 'UTC' } as const

/** `16–22 November 2026`, `30 November–6 December 2026`. */
export function formatWeek(monday: string): string {
  const [first, last] = [monday, shiftDate(monday, 6)].map((date) => new Date(`${date}T00:00:00Z`))
  const format = new Intl.DateTimeFormat('en-GB', {
    ...FORMAT,
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  })
  // The parts that both have in common are written once; the spaces around the dash go.
  return format.formatRange(first ?? 0, last ?? 0).replace(/[\s\u2009]*–[\s\u2009]*/u, '–')
}

/** `Mon 16`. */
export function formatDay(date: string): string {
  const day = new Date(`${date}T00:00:00Z`)
  const weekday = new Intl.DateTimeFormat('en-GB', { ...FORMAT, weekday: 'short' }).format(day)
  return `${weekday} ${day.getUTCDate()}`
}

/** `Sat 21 Nov`. */
export function formatShortDate(date: string): string {
  const month = new Intl.DateTimeFormat('en-GB', { ...FORMAT, month: 'short' })
  return `${formatDay(date)} ${month.format(new Date(`${date}T00:00:00Z`))}`
}

/** `Saturday 21 November`. */
export function formatLongDay(date: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...FORMAT,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  })
  return format.format(new Date(`${date}T00:00:00Z`)).replace(',', '')
}
