import { AppError } from '../../base/index.ts'
import type { SqlWriter } from '../engine/sql.ts'
import { appendTimeline } from '../journal/timeline.ts'

/** Cancels a job; false when it is not pending. */
export function cancelPending(tx: SqlWriter, id: string): boolean {
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = 'cancelled', finished_at = $at, not_before = 0, held = 0,
       hold_reason = '', updated = $at
     WHERE id = $id AND status = 'pending'`,
    { id, at: tx.at },
  )
  return changed > 0
}

/** Runs before a user is removed: cancels the pending jobs, since nobody could be charged for them. */
export function cancelJobsOf(tx: SqlWriter, user: string): void {
  const jobs = tx.all<{ id: string; attempt: number }>(
    `SELECT id, attempt FROM quantum_jobs WHERE user_id = $user AND status = 'pending'`,
    { user },
  )
  for (const { id, attempt } of jobs) {
    cancelPending(tx, id)
    appendTimeline(tx, id, { event: 'cancelled', attempt, detail: 'its user was removed' })
  }
}

/**
 * Runs before a QPU is removed: its jobs must not turn into jobs for any QPU.
 * @throws AppError `invalid` when jobs for the QPU are pending or running.
 */
export function refuseUnfinishedJobs(tx: SqlWriter, qpu: string): void {
  const row = tx.one<{ jobs: number }>(
    `SELECT (SELECT count(*) FROM quantum_jobs WHERE status = 'pending' AND qpu_target = $qpu)
       + (SELECT count(*) FROM quantum_jobs WHERE status = 'running' AND $qpu IN (qpu, qpu_target)) AS jobs`,
    { qpu },
  )
  if (!row?.jobs) return
  throw new AppError(
    'invalid',
    `${row.jobs} jobs are pending for this QPU or running on it; cancel them or wait for them to end, then delete it`,
    { reason: 'unfinished_jobs' },
  )
}

/**
 * Runs before a driver is removed: a tuner would write what it was asked for to its device file, unseen.
 * @throws AppError `invalid` while a requested calibration runs.
 */
export function refuseRunningCalibration(tx: SqlWriter, driver: { id: string; name: string }): void {
  const row = tx.one<{ id: string }>(
    "SELECT id FROM calibration_requests WHERE driver = $id AND status = 'running'",
    { id: driver.id },
  )
  if (!row) return
  throw new AppError(
    'invalid',
    `The tuner ${driver.name} runs the calibration ${row.id}; wait for its end or set it to failed, then delete it`,
    { reason: 'calibration_running' },
  )
}

/** Runs before retention removes a calibration report: the history of its values ends with it. */
export function removeValuesOf(tx: SqlWriter, report: string): void {
  tx.run('DELETE FROM calibration_values WHERE report = $report', { report })
  tx.run('DELETE FROM calibration_medians WHERE report = $report', { report })
  // The newest bound of a parameter stays, as the newest value does.
  const later = (table: string) =>
    `EXISTS (SELECT 1 FROM ${table} later WHERE later.qpu = calibration_bounds.qpu AND later.at > calibration_bounds.at
       AND later.element = calibration_bounds.element AND later.parameter = calibration_bounds.parameter)`
  tx.run(
    `DELETE FROM calibration_bounds
     WHERE report = $report AND (${later('calibration_latest')} OR ${later('calibration_bounds')})`,
    { report },
  )
}
