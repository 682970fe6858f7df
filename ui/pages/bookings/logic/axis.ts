import { MINUTE_MS } from '../../../../src/base/portable/units.ts'
/**
 * The vertical axis of a week: hours of the clock, which all days share. Where a clock is put back, the axis
 * has the repeated time a second time; the other days have nothing there. Where it is put forward, the day
 * has a gap.
 */
import { dateIn, shiftDate, startOfDate, wallTime, zoneOffset } from '../../../lib/zone.ts'

const DAY_MINUTES = 1_440

/** A change of the clock: at `at` (Unix ms) it jumps from one minute of the day to another. */
interface ClockChange {
  at: number
  from: number
  to: number
}

/** A day in a zone; times are Unix ms. */
interface Day {
  /** `2026-11-20`. */
  date: string
  start: number
  /** Start of the next day. */
  end: number
  change: ClockChange | undefined
}

/** Minutes that an axis has in addition, at a minute of the day. */
interface Repeat {
  minute: number
  length: number
}

/** Days beside each other and the axis that they share. */
export interface Axis {
  zone: string
  days: readonly Day[]
  repeats: readonly Repeat[]
  /** Its length in minutes. */
  length: number
}

/** A part of a day that is drawn as one block, in minutes from the top. */
export interface Block {
  day: number
  top: number
  bottom: number
}

/** The day of a date in a zone. */
function dayOf(date: string, zone: string): Day {
  const start = startOfDate(date, zone) ?? Number.NaN
  const end = startOfDate(shiftDate(date, 1), zone) ?? Number.NaN
  return { date, start, end, change: changeWithin(date, start, end, zone) }
}

function changeWithin(date: string, start: number, end: number, zone: string): ClockChange | undefined {
  const first = minuteOfDay(start, zone)
  // The clock skips midnight: the day begins later.
  if (first > 0) return { at: start, from: 0, to: first }
  const before = zoneOffset(start, zone)
  if (zoneOffset(end - MINUTE_MS, zone) === before) return undefined
  let [low, high] = [start / MINUTE_MS, end / MINUTE_MS]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (zoneOffset(middle * MINUTE_MS, zone) === before) low = middle
    else high = middle
  }
  const at = high * MINUTE_MS
  const from = (at - start) / MINUTE_MS
  // A clock that is put back over midnight shows the day before again, which this day has no place for.
  const to = dateIn(at, zone) === date ? minuteOfDay(at, zone) : from
  return from === to ? undefined : { at, from, to }
}

function minuteOfDay(ms: number, zone: string): number {
  const { hour, minute } = wallTime(ms, zone)
  return hour * 60 + minute
}

/** The axis of `count` days from a date on. */
export function axisOf(first: string, count: number, zone: string): Axis {
  const days = Array.from({ length: count }, (_, at) => dayOf(shiftDate(first, at), zone))
  const repeats = days
    .flatMap(({ change }) =>
      change && change.to < change.from ? [{ minute: change.from, length: change.from - change.to }] : [],
    )
    .toSorted((one, other) => one.minute - other.minute)
  const extra = repeats.reduce((sum, { length }) => sum + length, 0)
  return { zone, days, repeats, length: DAY_MINUTES + extra }
}

/** Minutes from the top at which a time of a day is; times before and after the day are its ends. */
export function offsetOf(axis: Axis, at: number, ms: number): number {
  const day = axis.days[at]
  if (!day) return 0
  const { change, start, end } = day
  if (ms >= end) return axis.length
  if (ms <= start) return change && change.at === start ? change.to : 0
  const elapsed = (ms - start) / MINUTE_MS
  if (!change || ms < change.at) return below(axis, minuteOn(day, elapsed))
  const since = (ms - change.at) / MINUTE_MS
  return below(axis, change.to + since, change)
}

function minuteOn({ change, start }: Day, elapsed: number): number {
  return change && change.at === start ? change.to + elapsed : elapsed
}

/** The place of a minute of the day below the repeated times above it. */
function below({ repeats }: Axis, minute: number, after?: ClockChange): number {
  let place = minute
  let own = after !== undefined && after.to < after.from ? after : undefined
  for (const repeat of repeats) {
    if (own && repeat.minute === own.from && repeat.length === own.from - own.to) {
      place += repeat.length
      own = undefined
    } else if (minute >= repeat.minute && !(own && minute < own.from)) place += repeat.length
  }
  return place
}

/** The time at a place of a day, to the minute; a place in a gap is the end of the gap. */
export function timeAt(axis: Axis, at: number, place: number): number {
  const day = axis.days[at]
  if (!day) return Number.NaN
  // The place grows with the time, so that the time can be searched for.
  let [low, high] = [0, Math.round((day.end - day.start) / MINUTE_MS)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (offsetOf(axis, at, day.start + middle * MINUTE_MS) < place) low = middle + 1
    else high = middle
  }
  return day.start + low * MINUTE_MS
}

/** The blocks that show a range of times, one for each day that it touches. */
export function blocksOf(axis: Axis, { start, end }: { start: number; end: number }): Block[] {
  return axis.days.flatMap((day, at) => {
    if (start >= day.end || end <= day.start) return []
    return [{ day: at, top: offsetOf(axis, at, start), bottom: offsetOf(axis, at, end) }]
  })
}

/** A line of the axis with its label; `again` for a time that the clock shows a second time. */
interface AxisLine {
  place: number
  label: string
  again: boolean
}

/** Every full hour of the axis. */
export function linesOf(axis: Axis): AxisLine[] {
  const lines = Array.from({ length: 25 }, (_, hour) => ({
    place: below(axis, hour * 60),
    label: clock(hour * 60),
    again: false,
  }))
  const added = axis.repeats.flatMap(({ minute, length }) =>
    minute % 60 === 0
      ? [{ place: below(axis, minute) - length, label: clock(minute - length), again: true }]
      : [],
  )
  return [...lines, ...added].toSorted((one, other) => one.place - other.place)
}

/** A time that a day does not have, or has twice. */
interface Oddity {
  day: number
  top: number
  bottom: number
  text: string
}

/** The bands of days with 23 or 25 hours, and of the other days of their week. */
export function odditiesOf(axis: Axis): Oddity[] {
  const gaps = axis.days.flatMap(({ change }, day) =>
    change && change.to > change.from
      ? [
          {
            day,
            top: below(axis, change.from),
            bottom: below(axis, change.to),
            text: `${clock(change.from)}–${clock(change.to)} is skipped`,
          },
        ]
      : [],
  )
  const repeated = axis.repeats.flatMap(({ minute, length }) =>
    axis.days.map(({ change }, day) => {
      const bottom = below(axis, minute)
      const isOwn = change?.from === minute && change.to < change.from
      const text = isOwn ? `${clock(minute - length)}–${clock(minute)} again` : ''
      return { day, top: bottom - length, bottom, text }
    }),
  )
  return [...gaps, ...repeated]
}

function clock(minute: number): string {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60]
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}
