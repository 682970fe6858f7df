import { DAY_MS, timeZone } from '../../base/index.ts'

/** Slots of one repetition: about a year of weeks. */
export const MAX_WEEKS = 53

/** A slot that repeats every week; times are ms since the epoch. */
export interface Repetition {
  start: number
  end: number
  /** IANA zone whose clocks show the same time every week. */
  zone: string
  /** Number of slots. */
  weeks: number
}

/**
 * The slots of a repetition: each begins when clocks of the zone show the time of the first, and lasts as
 * long.
 */
export function repeatWeekly({ start, end, zone, weeks }: Repetition): { start: number; end: number }[] {
  const clocks = timeZone(zone)
  const first = clocks.wallTimeAt(start)
  // Clocks show no milliseconds, and of two equal times the first one may be the second.
  const rest = start - clocks.instantOf(first)
  return Array.from({ length: weeks }, (_, week) => {
    const from = week === 0 ? start : clocks.instantOf({ ...first, day: first.day + 7 * week }) + rest
    return { start: from, end: from + (end - start) }
  })
}

/** The number of slots of a repetition whose last day is `until`, such as `2026-12-31`; 0 if none is. */
export function weeksUntil(start: number, zone: string, until: string): number {
  const { year, month, day } = timeZone(zone).wallTimeAt(start)
  const days = (Date.parse(until) - Date.UTC(year, month - 1, day)) / DAY_MS
  return days < 0 ? 0 : Math.floor(days / 7) + 1
}
