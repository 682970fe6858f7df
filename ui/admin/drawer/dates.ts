/** Text of a date control, in the zone of the page, and the stored form, which is UTC. */
import { parseTime } from '../../lib/time.ts'
import { instantOf, wallTime } from '../../lib/zone.ts'

/** `2026-01-31 09:05`, with seconds and fractions where they are not 0. */
const CONTROL = /^(\d{4,6})-(\d\d)-(\d\d)(?:[T ]+(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?)?$/

/** A stored time as the text of a date control; empty when there is none. */
export function toControl(stored: string, zone: string): string {
  const at = parseTime(stored)
  if (at === undefined) return ''
  const { year, month, day, hour, minute, second } = wallTime(at, zone)
  const two = (value: number) => String(value).padStart(2, '0')
  const fraction = at - Math.floor(at / 1_000) * 1_000
  const seconds = second > 0 || fraction > 0 ? `:${two(second)}` : ''
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  return `${date} ${two(hour)}:${two(minute)}${seconds}${fraction > 0 ? `.${String(fraction).padStart(3, '0')}` : ''}`
}

/** The text of a date control in its stored form; undefined if it is not a time. */
export function fromControl(text: string, zone: string): string | undefined {
  const given = text.trim()
  if (given === '') return ''
  const parts = CONTROL.exec(given)
  if (!parts) return undefined
  const numbers = parts.slice(1, 7).map((part) => Number(part ?? 0))
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59)
    return undefined
  const at = instantOf({ year, month, day, hour, minute, second }, zone)
  const fraction = Number((parts[7] ?? '0').padEnd(3, '0'))
  return new Date(at + fraction).toISOString().replace('T', ' ')
}
