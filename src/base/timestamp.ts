import { timeZone } from './portable/time-zone.ts'

/** Writes ms since the epoch as stored and served: `2026-01-31 09:05:00.000Z`. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ')
}

const ACCEPTED = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/

/**
 * Reads the stored form, ISO 8601 with `T` or an offset, or a bare date (UTC) into ms since the epoch.
 * Returns undefined when the text is none of them, or names a day that does not exist.
 */
export function fromTimestamp(text: string): number | undefined {
  const trimmed = text.trim()
  if (!ACCEPTED.test(trimmed) || !isDay(trimmed.slice(0, 10))) return undefined
  const iso = trimmed.replace(' ', 'T').replace(' ', '')
  const zoned = /T.*(Z|[+-]\d{2}:?\d{2})$/.test(iso) || iso.length === 10 ? iso : `${iso}Z`
  const ms = Date.parse(zoned)
  return Number.isNaN(ms) ? undefined : ms
}

/**
 * As `fromTimestamp`, but a time without an offset, and a bare day, is what clocks of the zone show; see
 * `TimeZone.instantOf` for times that they skip or show twice.
 */
export function fromLocalTimestamp(text: string, zone: string): number | undefined {
  const ms = fromTimestamp(text)
  if (ms === undefined || /[T ].*(Z|[+-]\d{2}:?\d{2})$/.test(text.trim())) return ms
  const milliseconds = ms - Math.floor(ms / 1_000) * 1_000
  return timeZone(zone).instantOf(timeZone('UTC').wallTimeAt(ms)) + milliseconds
}

/** `Date` takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}
