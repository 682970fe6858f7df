import { HOUR_MS } from '../../../src/base/portable/units.ts'
import type { Availability } from '../../api/model/schedule.ts'
import { parseTime } from '../../lib/time.ts'

/** A time in which a QPU ran no jobs of the queue. */
export interface Outage {
  kind: string
  /** Unix ms. */
  start: number
  /** Undefined while it lasts. */
  end: number | undefined
  /** Why: what the operator wrote, or how its driver left; may be empty. */
  reason: string
}

/** What a QPU was, by the kind of the time. */
export const OUTAGES: Readonly<Record<string, string>> = {
  offline: 'Offline',
  disabled: 'Disabled',
  maintenance: 'Maintenance',
  draining: 'Draining',
  calibration: 'Calibrating',
  session: 'Session',
}

/** When a QPU took no jobs, newest first. */
export function outagesOf({ busy, closed }: Availability, qpu: string, now: number): Outage[] {
  const taken = busy.filter(({ kind }) => kind === 'calibration' || kind === 'session')
  return [...closed, ...taken.map((each) => ({ ...each, reason: '' }))]
    .flatMap(({ kind, start: began, end, ...each }) => {
      const start = parseTime(began)
      if (each.qpu !== qpu || start === undefined || start > now) return []
      const ended = parseTime(end)
      // A session lasts until its end at the latest.
      return [
        { kind, start, end: ended !== undefined && ended > now ? undefined : ended, reason: each.reason },
      ]
    })
    .toSorted((one, other) => other.start - one.start)
}

/** The part of the last hours that a time has, as shares of them; undefined if none. */
export function partOfLast(hours: number, { start, end }: Outage, now: number) {
  const share = (ms: number) => 1 - (now - ms) / (hours * HOUR_MS)
  const [left, right] = [Math.max(0, share(start)), Math.min(1, share(end ?? now))]
  return right <= 0 ? undefined : { left, width: right - left }
}
