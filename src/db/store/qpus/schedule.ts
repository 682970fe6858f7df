import type { Bindable } from '../../engine/sql.ts'
import type { closedBy } from '../../hooks/qpu-change.ts'
import type { ReadTx } from '../../records/tx.ts'

/** A time during which a QPU is busy. */
interface BusyTime {
  /** Id of the QPU; '' = every QPU. */
  qpu: string
  /** `queued_calibration` has no time yet: it begins as soon as its QPU is free. */
  kind: 'slot' | 'session' | 'batch_session' | 'calibration' | 'queued_calibration' | 'maintenance'
  /** UTC text; '' = not known. */
  start: string
  /** UTC text; '' = open-ended. */
  end: string
  /** Whether the requesting user booked or holds it. */
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
  const busy = [...booked, ...sessionTimes(tx, range)]
  return range.from > tx.at ? busy : [...busy, ...finished(tx, range), ...openEnded(tx, range.to)]
}

/** Sessions of one answer that have ended; older ones are left out. */
const MAX_SESSIONS = 500

/**
 * Sessions from their first activation to their end: an active one's at the latest, of others the last time
 * for which they were charged.
 */
function sessionTimes(tx: ReadTx, range: { from: string; to: string; user: string }): BusyTime[] {
  const charged = `SELECT at FROM qpu_ledger
    WHERE kind = 'session' AND source_id > sessions.id || ':' AND source_id < sessions.id || ';'
    ORDER BY source_id DESC LIMIT 1`
  const columns = `qpu, mode, "user" = $user AS mine, activated_at AS start,
    CASE WHEN state = 'active' THEN ends_at ELSE coalesce((${charged}), stopped_at) END AS "end"`
  const rows = tx.all<Pick<BusyTime, 'qpu' | 'start' | 'end'> & { mode: string; mine: number }>(
    `SELECT * FROM (
       SELECT ${columns} FROM sessions WHERE state IN ('active', 'paused')
       UNION ALL
       SELECT * FROM (SELECT ${columns} FROM sessions WHERE state = 'closed' AND stopped_at > $from
         ORDER BY stopped_at DESC, seq DESC LIMIT ${MAX_SESSIONS}) ended) held
     WHERE start > '' AND start < $to AND "end" > $from ORDER BY start, qpu`,
    range,
  )
  return rows.map(({ mode, mine, ...times }) => ({
    ...times,
    kind: mode === 'batch' ? 'batch_session' : 'session',
    mine: mine === 1,
  }))
}

/** Calibrations, and times of maintenance, of one answer that have ended; older ones are left out. */
const MAX_FINISHED = 500

function finished(tx: ReadTx, { from, to }: { from: string; to: string }): BusyTime[] {
  const rows = ['done', 'failed'].flatMap((status) =>
    tx.all<Pick<BusyTime, 'qpu' | 'start' | 'end'>>(
      `SELECT drivers.qpu AS qpu, started_at AS start, finished_at AS "end" FROM calibration_requests
         JOIN drivers ON drivers.id = calibration_requests.driver
         WHERE calibration_requests.status = $status AND finished_at > $from AND started_at < $to
           AND started_at <> ''
         ORDER BY finished_at DESC, calibration_requests.seq DESC LIMIT ${MAX_FINISHED}`,
      { status, from, to },
    ),
  )
  const maintained = tx.all<Pick<BusyTime, 'qpu' | 'start' | 'end'>>(
    `SELECT qpu, began AS start, ended AS "end" FROM maintenance_times
     WHERE ended > $from AND began < $to AND kind = 'maintenance' ORDER BY ended DESC, qpu DESC, began DESC LIMIT ${MAX_FINISHED}`,
    { from, to },
  )
  return [
    ...rows.map((row): BusyTime => ({ ...row, kind: 'calibration', mine: false })),
    ...maintained.map((row): BusyTime => ({ ...row, kind: 'maintenance', mine: false })),
  ]
}

/** A time in which a QPU took no jobs; '' as end = it lasts. */
interface ClosedTime {
  qpu: string
  kind: NonNullable<ReturnType<typeof closedBy>>
  start: string
  end: string
  reason: string
}

/** The newest `most` times in which QPUs took no jobs, between `from` and `to` (UTC text), newest first. */
export function readClosedTimes(tx: ReadTx, range: { from: string; to: string; most: number }): ClosedTime[] {
  return tx.all<ClosedTime>(
    `SELECT qpu, kind, began AS start, ended AS "end", reason FROM maintenance_times
     WHERE (ended > $from OR ended = '') AND began < $to ORDER BY began DESC, qpu LIMIT $most`,
    { ...range },
  )
}

/** A note on a moment of the schedule; '' as QPU = every QPU. */
interface ScheduleNote {
  id: string
  qpu: string
  at: string
  text: string
}

/** The newest `most` notes of the range (UTC text, `to` excluded), in order of time. */
export function readScheduleNotes(
  tx: ReadTx,
  range: { from: string; to: string; most: number },
): ScheduleNote[] {
  return tx
    .all<ScheduleNote>(
      `SELECT id, qpu, at, text FROM notes WHERE at >= $from AND at < $to ORDER BY at DESC, seq DESC LIMIT $most`,
      { ...range },
    )
    .toReversed()
}

interface OpenRow {
  qpu: string
  kind: Exclude<BusyTime['kind'], 'slot' | 'session' | 'batch_session'>
  start: string
  end: string
}

function openEnded(tx: ReadTx, to: Bindable): BusyTime[] {
  const rows = tx.all<OpenRow>(
    `SELECT * FROM (
     SELECT drivers.qpu AS qpu, 'calibration' AS kind, started_at AS start, '' AS "end" FROM calibration_requests
       JOIN drivers ON drivers.id = calibration_requests.driver
       WHERE calibration_requests.status = 'running' AND started_at < $to
     UNION ALL
     SELECT drivers.qpu, 'calibration', started_at, '' FROM tuner_runs
       JOIN drivers ON drivers.id = tuner_runs.driver WHERE started_at < $to
     UNION ALL
     SELECT drivers.qpu, 'queued_calibration', '', '' FROM calibration_requests
       JOIN drivers ON drivers.id = calibration_requests.driver
       WHERE calibration_requests.status = 'pending'
     UNION ALL
     SELECT id, 'maintenance', coalesce(began, ''), CASE WHEN maintenance_until > $at THEN maintenance_until ELSE '' END
       FROM qpus LEFT JOIN maintenance_times ON maintenance_times.qpu = qpus.id AND ended = ''
       WHERE maintenance = 1 AND coalesce(began, '') < $to) busy
     ORDER BY kind = 'maintenance', kind, start, qpu`,
    { to, at: tx.at },
  )
  return rows.map((row) => ({ ...row, mine: false }))
}
