import type { ReadTx, Tx } from '../../records/tx.ts'

/** The calendar of a user that is read at a secret address. */
export interface CalendarFeed {
  user: string
  /** Id of the QPU whose calibrations and maintenance it contains; '' = none. */
  qpu: string
  /** When the address was created, UTC text. */
  created: string
}

/** The feed of a user; undefined when there is none. */
export function findCalendarFeed(tx: ReadTx, user: string): CalendarFeed | undefined {
  return tx.one('SELECT "user", qpu, created FROM calendar_feeds WHERE "user" = $user', { user })
}

/** The feed whose secret has this SHA-256, unless its user may not log in. */
export function findCalendarByHash(tx: ReadTx, hash: string): CalendarFeed | undefined {
  return tx.one(
    `SELECT "user", qpu, feed.created FROM calendar_feeds feed
     JOIN users ON users.id = feed.user AND users.disabled = 0 WHERE hash = $hash`,
    { hash },
  )
}

/** Stores the hash of a new address, which replaces the one before. */
export function saveCalendarFeed(
  tx: Tx,
  { user, hash, qpu }: { user: string; hash: string; qpu: string },
): CalendarFeed {
  tx.run(
    `INSERT INTO calendar_feeds ("user", hash, qpu, created) VALUES ($user, $hash, $qpu, $at)
     ON CONFLICT ("user") DO UPDATE SET hash = $hash, qpu = $qpu, created = $at`,
    { user, hash, qpu, at: tx.at },
  )
  return { user, qpu, created: tx.at }
}

/** Changes what a feed contains; false when there is none. */
export function changeCalendarFeed(tx: Tx, { user, qpu }: { user: string; qpu: string }): boolean {
  return tx.run('UPDATE calendar_feeds SET qpu = $qpu WHERE "user" = $user', { user, qpu }) > 0
}

/** Ends the address of a user; false when there is none. */
export function removeCalendarFeed(tx: Tx, user: string): boolean {
  return tx.run('DELETE FROM calendar_feeds WHERE "user" = $user', { user }) > 0
}

/** A slot as an entry of a calendar. Times are UTC text. */
export interface CalendarSlot {
  id: string
  start: string
  end: string
  /** Name of the QPU; '' = every QPU. */
  qpu: string
  updated: string
}

/** A calibration as an entry of a calendar; `end` is '' while it runs. Times are UTC text. */
export interface CalendarCalibration {
  id: string
  mode: string
  start: string
  end: string
  updated: string
}

/** Entries of a calendar at most, the earliest slots and the newest calibrations. */
const MAX_SLOTS = 1_000
const MAX_CALIBRATIONS = 200

/** The slots of a user that end after `from` (UTC text). */
export function listCalendarSlots(
  tx: ReadTx,
  { user, from }: { user: string; from: string },
): CalendarSlot[] {
  return tx.all(
    `SELECT slot.id, start_time AS start, end_time AS "end", coalesce(qpus.name, '') AS qpu, slot.updated
     FROM time_slots slot LEFT JOIN qpus ON qpus.id = slot.qpu
     WHERE booked_by = $user AND end_time > $from ORDER BY start_time LIMIT ${MAX_SLOTS}`,
    { user, from },
  )
}

/** The calibrations of a QPU that run or ended after `from` (UTC text). */
export function listCalendarCalibrations(
  tx: ReadTx,
  { qpu, from }: { qpu: string; from: string },
): CalendarCalibration[] {
  return tx.all(
    `SELECT request.id, mode, started_at AS start, finished_at AS "end", request.updated
     FROM calibration_requests request JOIN drivers ON drivers.id = request.driver
     WHERE drivers.qpu = $qpu AND started_at <> ''
       AND (request.status = 'running' OR request.status IN ('done', 'failed') AND finished_at > $from)
     ORDER BY started_at DESC LIMIT ${MAX_CALIBRATIONS}`,
    { qpu, from },
  )
}
