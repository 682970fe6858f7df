import { HOUR_MS } from '../../../../src/base/portable/units.ts'
import type { Slot } from '../../../api/model/bookings.ts'
import type { Schedule } from '../../../api/model/schedule.ts'
import { parseTime } from '../../../lib/time.ts'
import type { Range } from './conflicts.ts'

/** What occupies a QPU at some time. */
export interface Entry extends Range {
  key: string
  kind: 'slot' | 'session' | 'calibration' | 'maintenance'
  mine: boolean
  /** Whether it is for every QPU. */
  everyQpu: boolean
  /** Who booked it: known to superusers. */
  name: string
  /** The record, if the account may read it. */
  slot: Slot | undefined
}

/**
 * The entries of one QPU, in order, from the schedule without names and the slots that the account may read.
 * What has no end yet is shown until the end of the current hour.
 */
export function entriesOf(schedule: Schedule, slots: readonly Slot[], qpu: string, nowMs: number): Entry[] {
  const known = new Map(slots.map((slot) => [keyOf(slot.qpu ?? '', slot.start_time, slot.end_time), slot]))
  const openEnd = Math.ceil((nowMs + 1) / HOUR_MS) * HOUR_MS
  return schedule.busy
    .flatMap((busy): Entry[] => {
      if ((busy.qpu !== '' && busy.qpu !== qpu) || busy.kind === 'queued_calibration') return []
      const kind = busy.kind === 'batch_session' ? 'session' : busy.kind
      const key = keyOf(busy.qpu, busy.start, busy.end)
      const slot = kind === 'slot' ? known.get(key) : undefined
      const start = parseTime(busy.start) ?? nowMs
      const end = parseTime(busy.end) ?? Math.max(openEnd, start + HOUR_MS)
      const name = slot?.expand?.booked_by?.username || slot?.expand?.booked_by?.email || ''
      return [
        { key: `${kind} ${key}`, kind, mine: busy.mine, everyQpu: busy.qpu === '', name, slot, start, end },
      ]
    })
    .toSorted((one, other) => one.start - other.start)
}

function keyOf(qpu: string, start: string, end: string): string {
  return `${qpu} ${start} ${end}`
}

/** What a block is called. */
export function titleOf({ kind, mine, name }: Pick<Entry, 'kind' | 'mine' | 'name'>): string {
  if (kind === 'calibration') return 'Calibration'
  if (kind === 'maintenance') return 'Maintenance'
  if (kind === 'session') return mine ? 'Your session' : 'Session'
  if (mine) return 'Your slot'
  return name === '' ? 'Booked' : name
}

/** Whether others cannot book the time: it is booked, or in a session. */
export function isTaken({ kind }: Pick<Entry, 'kind'>): boolean {
  return kind === 'slot' || kind === 'session'
}

/** The booked time within a range, in ms. */
export function bookedWithin({ start, end }: Range, entries: readonly Entry[]): number {
  return entries
    .filter(({ kind }) => kind === 'slot')
    .reduce((sum, each) => sum + Math.max(0, Math.min(each.end, end) - Math.max(each.start, start)), 0)
}

/** Who has a QPU now and when it is free next, as the line under the heading. */
export function leadOf(
  name: string,
  entries: readonly Entry[],
  now: number,
  write: (ms: number) => string,
): string {
  const slots = entries.filter(isTaken)
  const current = slots.find(({ start, end }) => start <= now && now < end)
  let free = now
  for (const { start, end } of slots) if (start <= free && end > free) free = end
  const next = slots.find(({ start }) => start > free)
  if (!current) {
    return next ? `${name} is free until ${write(next.start)}.` : `${name} is free; nobody has booked it.`
  }
  const taken = current.kind === 'session' ? 'held by a session' : 'booked'
  const holder = current.mine ? 'yours' : current.name === '' ? taken : `booked by ${current.name}`
  const again = free > current.end ? ` Next free time: ${write(free)}.` : ''
  return `${name} is ${holder} until ${write(current.end)}.${again}`
}
