import type { ReadTx } from '../../records/tx.ts'
import type { Bindable } from '../../sqlite/sql.ts'

/** A time during which a QPU is busy. */
interface BusyTime {
  /** Id of the QPU; '' = every QPU. */
  qpu: string
  /** `queued_calibration` has no time yet: it begins as soon as its QPU is free. */
  kind: 'slot' | 'calibration' | 'queued_calibration' | 'maintenance'
  /** UTC text; '' = not known. */
  start: string
  /** UTC text; '' = open-ended. */
  end: string
  /** Whether the requesting user booked it. */
  mine: boolean
}

/**
 * The busy times of QPUs between `from` and `to` (UTC text, `to` excluded), without names of users. Current
 * open-ended ones are included only if the range has begun, since their end is unknown.
 */
export function readSchedule(tx: ReadTx, range: { from: string; to: string; user: string }): BusyTime[] {
  const slots = tx.all<Omit<BusyTime, 'mine' | 'kind'> & { mine: number }>(
    `SELECT qpu, start_time AS start, end_time AS "end", booked_by = $user AS mine FROM time_slots
     WHERE start_time < $to AND end_time > $from ORDER BY start_time, seq`,
    { ...range },
  )
  const booked = slots.map(({ mine, ...slot }): BusyTime => ({ ...slot, kind: 'slot', mine: mine === 1 }))
  return range.from > tx.at ? booked : [...booked, ...openEnded(tx, range.to)]
}

interface OpenRow {
  qpu: string
  kind: Exclude<BusyTime['kind'], 'slot'>
  start: string
}

function openEnded(tx: ReadTx, to: Bindable): BusyTime[] {
  const rows = tx.all<OpenRow>(
    `SELECT drivers.qpu AS qpu, 'calibration' AS kind, started_at AS start FROM calibration_requests
       JOIN drivers ON drivers.id = calibration_requests.driver
       WHERE calibration_requests.status = 'running' AND started_at < $to
     UNION ALL
     SELECT drivers.qpu, 'queued_calibration', '' FROM calibration_requests
       JOIN drivers ON drivers.id = calibration_requests.driver
       WHERE calibration_requests.status = 'pending'
     UNION ALL
     SELECT id, 'maintenance', '' FROM qpus WHERE maintenance = 1`,
    { to },
  )
  return rows.map((row) => ({ ...row, end: '', mine: false }))
}
