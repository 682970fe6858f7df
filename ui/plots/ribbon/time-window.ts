import { HOUR_MS } from '../../../src/base/portable/units.ts'
import {
  dateIn,
  hoursBetween,
  instantOf,
  shiftDate,
  shiftDays,
  startOfDate,
  timeOfDay,
  wallTime,
} from '../../lib/zone.ts'

/** The window around now begins this long before now, at a multiple of three hours on the clock. */
const BEFORE_NOW_MS = 8 * HOUR_MS
const LABEL_EVERY_HOURS = 3

/** The time that a ribbon shows: Unix ms, and the date by which its heading names it. */
export interface TimeWindow {
  from: number
  to: number
  date: string
}

/** The day around now: as many hours as the clock of the zone shows, so 23 or 25 when it is changed. */
export function windowAround(now: number, zone: string): TimeWindow {
  const { hour, minute: _minute, second: _second, ...date } = wallTime(now - BEFORE_NOW_MS, zone)
  const from = instantOf({ ...date, hour: hour - (hour % LABEL_EVERY_HOURS) }, zone)
  return { from, to: shiftDays(from, 1, zone), date: dateIn(now, zone) }
}

/** A date from its first to its last moment; undefined for text that is no date. */
export function windowOfDate(date: string, zone: string): TimeWindow | undefined {
  const from = startOfDate(date, zone)
  const to = from === undefined ? undefined : startOfDate(shiftDate(date, 1), zone)
  return from === undefined || to === undefined ? undefined : { from, to, date }
}

/** A mark of the time axis; `at` is its share of the width. */
export interface AxisMark {
  at: number
  /** Empty for an hour without a label. */
  label: string
}

/** The full hours of a window, every third with its label; an hour that occurs twice has two marks. */
export function axisMarks(window: TimeWindow, zone: string): AxisMark[] {
  const labeled = new Set(hoursBetween(window.from, window.to, zone, LABEL_EVERY_HOURS))
  return hoursBetween(window.from, window.to, zone).map((hour) => ({
    at: shareOf(window, hour),
    label: labeled.has(hour) && hour < window.to ? timeOfDay(hour, zone) : '',
  }))
}

/** What a change of the clock does to a window; empty for an ordinary day. */
export function describeLength({ from, to }: TimeWindow): string {
  const hours = (to - from) / HOUR_MS
  return hours === 24 ? '' : `${hours} h: the clocks change`
}

/** Where a time is in a window: 0 at its start, 1 at its end, and beyond for times outside. */
export function shareOf({ from, to }: TimeWindow, ms: number): number {
  return (ms - from) / (to - from)
}
