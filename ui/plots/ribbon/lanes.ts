import type { Schedule } from '../../api/model/schedule.ts'
import { parseTime } from '../../lib/time.ts'
import { shareOf, type TimeWindow } from './time-window.ts'

/** A part of a lane; `left` and `width` are shares of the window. */
interface LanePart {
  left: number
  width: number
}

/** A time in which a QPU is taken. */
export interface LaneBar extends LanePart {
  kind: 'mine' | 'booked' | 'calibration' | 'maintenance'
  /** Whether it is held without a booking. */
  isSession: boolean
  /** Unix ms; undefined while the end is open. */
  start: number | undefined
  end: number | undefined
}

/** A moment that a superuser noted. */
interface LaneNote {
  id: string
  /** Share of the window. */
  left: number
  /** Unix ms. */
  at: number
  text: string
}

/** What a ribbon shows of one QPU. */
export interface Lane {
  bars: LaneBar[]
  /** Times in which jobs ran. */
  ticks: LanePart[]
  /** When jobs failed, as shares of the window. */
  failures: number[]
  /** Calibrations that start as soon as the QPU is free. */
  queuedCalibrations: number
  notes: LaneNote[]
}

/** The lane of a QPU; slots without a QPU are on every lane. Open ends reach the end of the window. */
export function laneOf(schedule: Schedule, qpu: string, window: TimeWindow, now: number): Lane {
  const own = schedule.busy.filter((busy) => busy.qpu === qpu || busy.qpu === '')
  return {
    bars: own.toSorted(slotsLast).flatMap(({ kind, mine, ...busy }) => {
      if (kind === 'queued_calibration') return []
      const start = parseTime(busy.start)
      const end = parseTime(busy.end)
      // Nobody knows when a calibration ends: its bar does not reach beyond now.
      const open = kind === 'calibration' ? Math.max(now, start ?? now) : window.to
      const part = partOf(window, start ?? window.from, end ?? open)
      return part ? [{ ...shownAs(kind, mine), start, end, ...part }] : []
    }),
    ticks: schedule.ticks
      .filter((tick) => tick.qpu === qpu)
      .flatMap(({ start, end }) => partOf(window, parseTime(start) ?? now, parseTime(end) ?? now) ?? []),
    failures: schedule.failures
      .filter((failure) => failure.qpu === qpu)
      .map(({ at }) => shareOf(window, parseTime(at) ?? now))
      .filter((share) => share >= 0 && share < 1),
    queuedCalibrations: own.filter(({ kind }) => kind === 'queued_calibration').length,
    notes: schedule.notes
      .filter((note) => note.qpu === qpu || note.qpu === '')
      .flatMap(({ id, at, text }) => {
        const ms = parseTime(at) ?? now
        const left = shareOf(window, ms)
        return left >= 0 && left < 1 ? [{ id, left, at: ms, text }] : []
      }),
  }
}

function shownAs(
  kind: Exclude<Schedule['busy'][number]['kind'], 'queued_calibration'>,
  mine: boolean,
): Pick<LaneBar, 'kind' | 'isSession'> {
  if (kind === 'calibration' || kind === 'maintenance') return { kind, isSession: false }
  return { kind: mine ? 'mine' : 'booked', isSession: kind !== 'slot' }
}

/** The part of a window between two times; undefined if they are outside. */
function partOf(window: TimeWindow, start: number, end: number): LanePart | undefined {
  if (end < window.from || start >= window.to) return undefined
  const left = Math.max(0, shareOf(window, start))
  const right = Math.min(1, shareOf(window, end))
  return { left, width: Math.max(0, right - left) }
}

/** Slots are drawn above calibrations and maintenance. */
function slotsLast(one: Schedule['busy'][number], other: Schedule['busy'][number]): number {
  return Number(one.kind === 'slot') - Number(other.kind === 'slot')
}
