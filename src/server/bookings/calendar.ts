import { DAY_MS, fromTimestamp, toTimestamp } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import {
  type CalendarCalibration,
  type CalendarFeed,
  type CalendarSlot,
  listCalendarCalibrations,
  listCalendarSlots,
} from '../../db/store/bookings/index.ts'
import { qpus } from '../../db/store/qpus/index.ts'
import { type CalendarEvent, writeCalendar } from './icalendar.ts'

const QUARTER_MS = 900_000
/** Entries that ended before stay in the programs that have read them. */
const PAST_MS = 30 * DAY_MS

/** The calendar of a feed; `host` makes the ids of its entries unique. */
export function calendarOf(
  tx: ReadTx,
  { user, qpu: qpuId }: CalendarFeed,
  { siteName, host }: { siteName: string; host: string },
): string {
  const from = toTimestamp(tx.now - PAST_MS)
  const qpu = qpuId === '' ? undefined : tx.find(qpus, qpuId)
  const events = listCalendarSlots(tx, { user, from }).map((slot) => slotEvent(slot, host))
  if (qpu) {
    const context = { name: qpu.name, host, now: tx.now }
    const calibrations = listCalendarCalibrations(tx, { qpu: qpu.id, from })
    events.push(...calibrations.map((calibration) => calibrationEvent(calibration, context)))
    if (qpu.maintenance) events.push(maintenanceEvent(qpu, context))
  }
  const also = qpu ? `, and calibrations and maintenance of ${qpu.name}` : ''
  return writeCalendar({
    name: `${siteName}: bookings`,
    description: `Your booked slots${also}. Read again every 15 minutes.`,
    events,
  })
}

function slotEvent({ id, start, end, qpu, updated }: CalendarSlot, host: string): CalendarEvent {
  return {
    uid: `${id}@${host}`,
    start: msOf(start),
    end: msOf(end),
    updated: msOf(updated),
    summary: `Your slot on ${qpu === '' ? 'every QPU' : qpu}`,
  }
}

interface EventContext {
  /** Name of the QPU. */
  name: string
  host: string
  now: number
}

function calibrationEvent(
  { id, mode, start, end, updated }: CalendarCalibration,
  { name, host, now }: EventContext,
): CalendarEvent {
  const isRunning = end === ''
  // Until the end is known, the entry grows by quarters of an hour.
  const shownEnd = isRunning ? Math.ceil((now + 1) / QUARTER_MS) * QUARTER_MS : msOf(end)
  return {
    uid: `${id}@${host}`,
    start: msOf(start),
    end: shownEnd,
    updated: msOf(updated),
    isFree: true,
    summary: `${isRunning ? 'Calibration is running' : 'Calibration'} (${mode.replace('_', ' ')}) of ${name}`,
  }
}

/** When maintenance ends is not known, so it fills the present day. */
function maintenanceEvent(
  { id, maintenance_reason, updated }: { id: string; maintenance_reason: string; updated: string },
  { name, host, now }: EventContext,
): CalendarEvent {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  return {
    uid: `maintenance-${id}@${host}`,
    start: today,
    end: today + DAY_MS,
    isAllDay: true,
    isFree: true,
    updated: msOf(updated),
    summary: `Maintenance of ${name}`,
    description: maintenance_reason,
  }
}

function msOf(at: string): number {
  return fromTimestamp(at) ?? 0
}
