/**
 * A server timestamp (`2026-01-31 09:05:00.000Z` or ISO 8601) as Unix ms; undefined when empty or unreadable.
 */
export function parseTime(text: string | null | undefined): number | undefined {
  if (!text) return undefined
  const value = Date.parse(text.replace(' ', 'T'))
  return Number.isNaN(value) ? undefined : value
}

/**
 * Formats a time: only the time of day for today, otherwise with the date. Uses the browser's zone by
 * default.
 */
export function formatMoment(ms: number, nowMs: number, timeZone?: string): string {
  const zone = timeZone ? { timeZone } : {}
  const time = new Intl.DateTimeFormat('en-GB', {
    ...zone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const day = new Intl.DateTimeFormat('en-GB', { ...zone, day: 'numeric', month: 'short', year: 'numeric' })
  if (day.format(ms) === day.format(nowMs)) return time.format(ms)
  const year = new Intl.DateTimeFormat('en-GB', { ...zone, year: 'numeric' })
  const sameYear = year.format(ms) === year.format(nowMs)
  const date = sameYear ? day.format(ms).replace(/ \d{4}$/, '') : day.format(ms)
  return `${date}, ${time.format(ms).slice(0, 5)}`
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
