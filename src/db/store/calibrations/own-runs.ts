/**
 * Calibrations that tuners started on their own, such as drift checks; they have no request. While one is
 * under way, its QPU takes no jobs and its tuner receives no requested calibration.
 *
 * | from → to | function |
 * |---|---|
 * | – → under way | `beginOwnRun`: its start, or the hello of a tuner that reconnected with it |
 * | under way → ended | `endOwnRun`: its report, the hello of a tuner without it, or the tuner stayed away |
 */

import { toTimestamp } from '../../../base/index.ts'
import { drivers } from '../../collections/drivers.ts'
import { qpus } from '../../collections/qpus.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { DriverAttempt } from '../jobs/attempts.ts'
import { deferredSql } from '../qpus/qpus.ts'
import type { CalibrationRun } from './calibrations.ts'

/**
 * Records that a tuner has started a calibration on its own, or waits until it may (`waits`), also for the
 * end of an active session, but no longer than `deferMs`. False when that is known, or when the run has been
 * reported before.
 */
export function beginOwnRun(
  tx: Tx,
  { run, driver, waits = true, deferMs = 0 }: CalibrationRun & { waits?: boolean; deferMs?: number },
): boolean {
  if (tx.one('SELECT 1 FROM calibration_results WHERE run_id = $run', { run })) return false
  const changed = tx.run(
    `INSERT INTO tuner_runs (driver, run_id, started_at, waits, defers_until)
     VALUES ($driver, $run, $at, $waits, $defersUntil)
     ON CONFLICT (driver) DO UPDATE SET run_id = $run, started_at = $at, waits = $waits,
       defers_until = $defersUntil
       WHERE tuner_runs.run_id <> $run`,
    { driver, run, at: tx.at, waits: waits ? 1 : 0, defersUntil: toTimestamp(tx.now + deferMs) },
  )
  if (changed > 0) publishQpu(tx, driver)
  return changed > 0
}

/** Records that the run, or whichever the tuner has, is over. False when there was none. */
export function endOwnRun(tx: Tx, { run, driver }: { run?: string; driver: string }): boolean {
  const ended = tx.run(`DELETE FROM tuner_runs WHERE driver = $driver AND ($run = '' OR run_id = $run)`, {
    driver,
    run: run ?? '',
  })
  if (ended > 0) publishQpu(tx, driver)
  return ended > 0
}

/** Those on QPUs that run no job, with the leases of their tuners: they may begin. */
export function listOwnRunsToBegin(tx: ReadTx): (CalibrationRun & { epoch: number })[] {
  return tx.all(
    `SELECT tuner_runs.run_id AS run, leases.driver, leases.epoch FROM tuner_runs
       JOIN leases ON leases.driver = tuner_runs.driver AND leases.state = 'attached'
     WHERE tuner_runs.waits = 1 AND NOT ${deferredSql('leases.qpu', '$at')}
       AND NOT EXISTS (SELECT 1 FROM quantum_jobs WHERE status = 'running' AND quantum_jobs.qpu = leases.qpu)
     ORDER BY leases.driver`,
    { at: tx.at },
  )
}

/** The jobs for whose end a calibration of their QPU waits, requested or of the tuner itself. */
export function listAwaitedJobs(tx: ReadTx): (DriverAttempt & { qpu: string })[] {
  return tx.all(
    `SELECT id AS job, attempt, driver, qpu FROM quantum_jobs WHERE status = 'running' AND qpu IN (
       SELECT leases.qpu FROM calibration_requests
         JOIN leases ON leases.driver = calibration_requests.driver AND leases.state = 'attached'
         WHERE calibration_requests.status = 'pending' AND calibration_requests.waits = 1
       UNION
       SELECT leases.qpu FROM tuner_runs
         JOIN leases ON leases.driver = tuner_runs.driver AND leases.state = 'attached'
         WHERE tuner_runs.waits = 1 AND NOT ${deferredSql('leases.qpu', '$at')})
     ORDER BY qpu`,
    { at: tx.at },
  )
}

/** All calibrations under way that tuners started on their own. */
export function listOwnRuns(tx: ReadTx): CalibrationRun[] {
  return tx.all('SELECT run_id AS run, driver FROM tuner_runs ORDER BY driver')
}

/** What the QPU does has changed: dashboards show it, and its queue may continue. */
function publishQpu(tx: Tx, driver: string): void {
  const tuner = tx.find(drivers, driver)
  if (tuner) tx.changed(qpus, tuner.qpu, 'update')
}
