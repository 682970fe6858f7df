/** An entry of a calendar; times are ms since the epoch. */
export interface CalendarEvent {
  /** The same for as long as the entry exists, and unique worldwide. */
  uid: string
  start: number
  end: number
  /** Whether it fills the days (UTC) from `start` to `end`, excluded. */
  isAllDay?: boolean
  summary: string
  description?: string
  /** Time of its last change. */
  updated: number
  /** Whether its owner has time for others meanwhile. */
  isFree?: boolean
}

/** A calendar as text. */
interface Calendar {
  name: string
  description: string
  events: readonly CalendarEvent[]
}

/** Interval at which programs should read the calendar again. */
const REFRESH = 'PT15M'
/** Octets of a line without its end (RFC 5545, 3.1). */
const MAX_LINE_OCTETS = 75

/** Writes a calendar in the form of RFC 5545. */
export function writeCalendar({ name, description, events }: Calendar): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//svc//bookings//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    // The first of each pair is RFC 7986, the second what programs read before it.
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    `DESCRIPTION:${escapeText(description)}`,
    `X-WR-CALDESC:${escapeText(description)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
    ...events.flatMap(linesOf),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${foldLine(line)}\r\n`).join('')
}

function linesOf(event: CalendarEvent): string[] {
  const { uid, start, end, isAllDay = false, isFree = false, summary, description = '', updated } = event
  return [
    'BEGIN:VEVENT',
    `UID:${escapeText(uid)}`,
    `DTSTAMP:${utc(updated)}`,
    `LAST-MODIFIED:${utc(updated)}`,
    ...(isAllDay
      ? [`DTSTART;VALUE=DATE:${day(start)}`, `DTEND;VALUE=DATE:${day(end)}`]
      : [`DTSTART:${utc(start)}`, `DTEND:${utc(end)}`]),
    `SUMMARY:${escapeText(summary)}`,
    ...(description === '' ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    ...(isFree ? ['TRANSP:TRANSPARENT'] : []),
    'END:VEVENT',
  ]
}

/** `20260131T090500Z`. */
function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}

/** `20260131`. */
function day(ms: number): string {
  return utc(ms).slice(0, 8)
}

/** A value of the type TEXT; control characters, which it cannot contain, are removed. */
function escapeText(text: string): string {
  const lines = text.replace(/[\\;,]/g, (each) => `\\${each}`).replace(/\r\n?|\n/g, '\\n')
  return lines.replace(/\p{Cc}/gu, '')
}

/** Divides a line after at most 75 octets; the rest begins with a space. Characters stay whole. */
function foldLine(line: string): string {
  const parts: string[] = []
  let [part, octets] = ['', 0]
  for (const character of line) {
    const bytes = Buffer.byteLength(character)
    if (octets + bytes > MAX_LINE_OCTETS) {
      parts.push(part)
      part = ' '
      octets = 1
    }
    part += character
    octets += bytes
  }
  return [...parts, part].join('\r\n')
}
