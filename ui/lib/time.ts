/**
 * A server timestamp (`2026-01-31 09:05:00.000Z` or ISO 8601) as Unix ms; undefined when empty or unreadable.
 */
export function parseTime(text: string | null | undefined): number | undefined {
  if (!text) return undefined
  const value = Date.parse(text.replace(' ', 'T'))
  return Number.isNaN(value) ? undefined : value
}

/** Creating a format takes as long as using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options])
  const known = formats.get(key)
  if (known) return known
  const format = new Intl.DateTimeFormat(locale, options)
  formats.set(key, format)
  return format
}

/** How dates are written: `20 Nov 2026`, `2026-11-20` or `Nov 20, 2026`. */
type DateStyle = 'written' | 'iso' | 'us'

/** A date; the year is left out where it may be, except in the ISO form. */
export function formatDate(
  ms: number,
  { timeZone, dates = 'written', year = true }: { timeZone?: string; dates?: DateStyle; year?: boolean } = {},
): string {
  const locale = { written: 'en-GB', iso: 'sv-SE', us: 'en-US' }[dates]
  const withYear = year || dates === 'iso'
  return formatOf(locale, {
    ...(timeZone ? { timeZone } : {}),
    day: dates === 'iso' ? '2-digit' : 'numeric',
    month: dates === 'iso' ? '2-digit' : 'short',
    ...(withYear ? { year: 'numeric' } : {}),
  }).format(ms)
}

/**
 * Formats a time: only the time of day for today, otherwise with the date. Uses the browser's zone by
 * default.
 */
export function formatMoment(
  ms: number,
  nowMs: number,
  timeZone?: string,
  dates: DateStyle = 'written',
): string {
  const zone = timeZone ? { timeZone } : {}
  const time = formatOf('en-GB', {
    ...zone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(ms)
  const day = formatDate(ms, { ...zone, dates: 'iso' })
  const today = formatDate(nowMs, { ...zone, dates: 'iso' })
  if (day === today) return time
  const year = day.slice(0, 4) !== today.slice(0, 4)
  return `${formatDate(ms, { ...zone, dates, year })}, ${time.slice(0, 5)}`
}

/**
 * Name and UTC offset of a time zone, such as `Europe/Stockholm, UTC+01:00`; by default the browser's zone.
 */
export function describeZone(nowMs: number, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...(timeZone ? { timeZone } : {}),
    timeZoneName: 'longOffset',
  })
  const offset = format.formatToParts(nowMs).find((part) => part.type === 'timeZoneName')?.value
  const name = format.resolvedOptions().timeZone
  return !offset || name === 'UTC' ? name : `${name}, ${offset.replace('GMT', 'UTC')}`
}

/** A duration as people say it: `20 s`, `6 min`, `1 h 08 min`, `3 d 4 h`. */
export function formatSpan(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  if (hours < 24) return rest === 0 ? `${hours} h` : `${hours} h ${String(rest).padStart(2, '0')} min`
  const days = Math.floor(hours / 24)
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`
}
