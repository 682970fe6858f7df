import { DAY_MS } from './units.ts'

/** A time as clocks and calendars show it; `month` counts from 1. Parts beyond their range carry over. */
export interface WallTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

/** Zones whose formats are kept: requests and pages use few, and choose their names. */
const MAX_ZONES = 100

const zones = new Map<string, TimeZone>()

/**
 * The IANA time zone with this name. Creating the format of one takes as long as twenty conversions, so those
 * that were used before are kept.
 * @throws RangeError when there is no such zone.
 */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name)
  if (known) return known
  const zone = new TimeZone(name)
  if (zones.size >= MAX_ZONES) zones.clear()
  zones.set(name, zone)
  return zone
}

/** A time zone; see `timeZone`. Times are ms since the epoch. */
class TimeZone {
  readonly #format: Intl.DateTimeFormat

  constructor(timeZone: string) {
    const numeric = 'numeric'
    this.#format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    })
  }

  /** What clocks show at a time. */
  wallTimeAt(ms: number): WallTime {
    const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 }
    for (const { type, value } of this.#format.formatToParts(ms)) {
      if (type in parts) parts[type as keyof WallTime] = Number(value)
    }
    return parts
  }

  /** What is added to UTC at a time, in ms. */
  offsetAt(ms: number): number {
    return asUtc(this.wallTimeAt(ms)) - Math.floor(ms / 1_000) * 1_000
  }

  /**
   * The time at which clocks show `wall`. Of a time that occurs twice, the first; a time that clocks skip is
   * as much later as they skip (RFC 5545, 3.3.5).
   */
  instantOf(wall: WallTime): number {
    const utc = asUtc(wall)
    const before = utc - this.offsetAt(utc - DAY_MS)
    const after = utc - this.offsetAt(utc + DAY_MS)
    // Clocks do not change within two days of most times.
    if (before === after) return before
    const matching = [before, after].filter((ms) => ms + this.offsetAt(ms) === utc)
    return matching.length === 0 ? before : Math.min(...matching)
  }
}

function asUtc({ year, month, day, hour, minute, second }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** Whether there is a time zone with this name. */
export function isTimeZone(name: string): boolean {
  try {
    timeZone(name)
    return true
  } catch {
    return false
  }
}
