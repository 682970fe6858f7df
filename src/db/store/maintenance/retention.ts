import { fromTimestamp, toTimestamp } from '../../../base/index.ts'
import { eventTime } from '../../collections/events.ts'
import type { SqlWriter } from '../../engine/sql.ts'
import { removeValuesOf } from '../../hooks/removal.ts'
import { readServiceValue, storeServiceValue } from '../../journal/service-values.ts'
import { removeResponses } from '../jobs/idempotency.ts'
import { STORED_STEPS } from '../readings/reading-steps.ts'

/**
 * One step of removing what is older than `before` (ms since the epoch): reads or changes at most `limit`
 * rows and returns their number, 0 = nothing is left. No change is published for single rows.
 */
export type PruneStep = (tx: SqlWriter, before: number, limit: number) => number

/** Records in `meta` that pruning begins now; returns when it began before, ms since the epoch. */
export function recordPruning(tx: SqlWriter): number | undefined {
  const key = 'pruned_at'
  const before = readServiceValue(tx, key)
  storeServiceValue(tx, key, tx.at)
  return fromTimestamp(before ?? '')
}

/** Removes events by their own time. */
export const pruneEvents: PruneStep = (tx, before, limit) =>
  tx.run(
    'DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE ts < $before ORDER BY ts LIMIT $limit)',
    {
      before: eventTime(toTimestamp(before)),
      limit,
    },
  )

/**
 * Removes buckets of readings that have ended, in order of time for each driver and length, then series
 * without buckets.
 */
export const pruneReadings: PruneStep = (tx, before, limit) => {
  const end = Math.floor(before / 1_000)
  for (const { driver } of tx.all<{ driver: string }>('SELECT DISTINCT driver FROM reading_series')) {
    for (const step of STORED_STEPS) {
      const rows = tx.run(
        `DELETE FROM reading_buckets WHERE (driver, step, start, series) IN
           (SELECT driver, step, start, series FROM reading_buckets
            WHERE driver = $driver AND step = $step AND start <= $end - $step ORDER BY start, series LIMIT $limit)`,
        { driver, step, end, limit },
      )
      if (rows > 0) return rows
    }
  }
  return tx.run(
    `DELETE FROM reading_series WHERE id IN
       (SELECT id FROM reading_series WHERE last < $end - ${STORED_STEPS.at(-1)} LIMIT $limit)`,
    { end, limit },
  )
}

/** Removes times in which QPUs took no jobs, by their end. */
export const pruneClosedTimes: PruneStep = (tx, before, limit) =>
  tx.run(
    `DELETE FROM maintenance_times WHERE (qpu, began) IN
       (SELECT qpu, began FROM maintenance_times WHERE ended > '' AND ended < $before LIMIT $limit)`,
    { before: toTimestamp(before), limit },
  )

/** Removes sessions that have ended, with their holders; what they cost stays in the ledger. */
export const pruneSessions: PruneStep = (tx, before, limit) =>
  tx.run(
    `DELETE FROM sessions WHERE seq IN
       (SELECT seq FROM sessions WHERE state = 'closed' AND stopped_at < $before LIMIT $limit)`,
    { before: toTimestamp(before), limit },
  )

/** The end of a record; a record that was ended by hand may lack it, and its last change counts instead. */
export const ENDED = `(finished_at > '' AND finished_at < $before OR finished_at = '' AND updated < $before)`

/** Removes requests that are `done` or `failed`, by their end. Reports keep the id of their request. */
export const pruneCalibrationRequests: PruneStep = (tx, before, limit) =>
  tx.run(
    `DELETE FROM calibration_requests WHERE seq IN
       (SELECT seq FROM calibration_requests WHERE status IN ('done', 'failed') AND ${ENDED} LIMIT $limit)`,
    { before: toTimestamp(before), limit },
  )

/**
 * Removes one report, which may have 32 MB, by its end, and the reference of its request. Its newest
 * values stay in force.
 */
export const pruneCalibrationResults: PruneStep = (tx, before) => {
  const old = tx.one<{ id: string }>(`SELECT id FROM calibration_results WHERE ${ENDED} LIMIT 1`, {
    before: toTimestamp(before),
  })
  if (!old) return 0
  const { id } = old
  tx.run("UPDATE calibration_requests SET result = '', updated = $at WHERE result = $id", { id, at: tx.at })
  removeValuesOf(tx, id)
  return tx.run('DELETE FROM calibration_results WHERE id = $id', { id })
}

/** Removes the stored responses to keyed requests, by their time. */
export const pruneIdempotencyKeys: PruneStep = (tx, before, limit) =>
  removeResponses(tx, toTimestamp(before), limit)
