/**
 * The queue of calibrations.
 *
 * States and the functions that change them. Each transition is one guarded UPDATE in one transaction; when
 * it changes no row, another transition came first, and nothing happens.
 *
 * | from → to | function |
 * |---|---|
 * | – → pending | `insertCalibration` |
 * | pending → running (a new run) | `claimCalibration` |
 * | pending → running (a run that was considered lost) | `confirmCalibration` |
 * | running → pending (the tuner did not begin the run) | `requeueUndeliveredCalibration`, `endLostCalibration` |
 * | running → failed (the run was lost) | `endLostCalibration` |
 * | running, pending → done (the report of the last run) | `storeReport` (calibration-reports.ts) |
 * | pending, running → failed | a superuser |
 */
import { AppError, newId } from '../../../base/index.ts'
import { calibrationRequests } from '../../collections/calibration_requests.ts'
import { drivers } from '../../collections/drivers.ts'
import { qpus } from '../../collections/qpus.ts'
import { INSERTION_ORDER } from '../../engine/dialect.ts'
import { appendAudit } from '../../journal/audit.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'
import type { DispatchTarget } from '../jobs/transitions/claim.ts'
import { announceFailedRequest } from './announce-end.ts'
import { collectProgress } from './collect-progress.ts'

export type CalibrationRequest = RecordOf<typeof calibrationRequests>

/** A calibration to add to the queue. */
interface NewCalibration {
  /** Id of the tuner. */
  driver: string
  mode: CalibrationRequest['mode']
  /** Empty unless the mode is `partial`. */
  targetQubits: readonly string[]
  /** The request whose finished steps are not repeated. */
  resumes?: string
  /** The actor, as in the audit log. */
  actor: string
}

/** Maximum number of pending requests per tuner; bounds the damage of a faulty program. */
const MAX_PENDING = 100

/**
 * Appends a calibration to its tuner's queue.
 * @throws AppError `not_found` (no such driver), `invalid` (not a tuner), `unavailable` (`driver_disabled`,
 *   `qpu_disabled`) or `conflict` (`too_many_pending_calibrations`).
 */
export function insertCalibration(
  tx: Tx,
  { driver, mode, targetQubits, resumes = '', actor }: NewCalibration,
): CalibrationRequest {
  assertMayCalibrate(tx, driver)
  const row = tx.insert(calibrationRequests, {
    driver,
    mode,
    target_qubits: [...targetQubits],
    requested_by: actor,
    resumes,
  })
  const detail = { driver, mode, ...(resumes !== '' && { resumes }) }
  appendAudit(tx, { actor, action: 'calibration.dispatch', subject: row.id, detail })
  return row
}

/**
 * Checks that a driver accepts calibrations.
 * @throws AppError as `insertCalibration` does.
 */
export function assertMayCalibrate(tx: ReadTx, id: string): void {
  const driver = tx.find(drivers, id)
  if (!driver) throw new AppError('not_found', `There is no driver ${id}`)
  if (driver.operation !== 'calibrate') {
    throw new AppError(
      'invalid',
      `Driver ${driver.name} is a ${driver.operation} driver; only a calibrate driver can calibrate`,
      { reason: 'not_a_tuner' },
    )
  }
  if (!driver.enabled) {
    throw new AppError('unavailable', `Driver ${driver.name} is disabled; enable it first`, {
      reason: 'driver_disabled',
    })
  }
  const qpu = tx.find(qpus, driver.qpu)
  if (!qpu?.enabled) {
    throw new AppError('unavailable', `QPU ${qpu?.name ?? driver.qpu} is disabled; enable it first`, {
      reason: 'qpu_disabled',
    })
  }
  const row = tx.one<{ pending: number }>(
    `SELECT count(*) AS pending FROM calibration_requests WHERE driver = $id AND status = 'pending'`,
    { id },
  )
  if ((row?.pending ?? 0) < MAX_PENDING) return
  throw new AppError(
    'conflict',
    `${driver.name} has ${MAX_PENDING} pending calibrations, the maximum; set some to failed or wait for them to run`,
    { reason: 'too_many_pending_calibrations' },
  )
}

/** A tuner that can begin a calibration, now or after the job that its QPU runs. */
interface IdleTuner extends DispatchTarget {
  /** Whether its QPU runs a job (1). */
  busy: number
  /** Whether a request waits for that already (1), see `awaitRunningJob`. */
  waits: number
}

/** A condition on `leases`. */
const RUNS_JOB = `EXISTS (SELECT 1 FROM quantum_jobs WHERE status = 'running' AND quantum_jobs.qpu = leases.qpu)`

/**
 * Tuners that can begin a calibration: attached, enabled, none running (requested or their own), at least one
 * pending.
 */
export function listIdleTuners(tx: ReadTx): IdleTuner[] {
  return tx.all<IdleTuner>(
    `SELECT leases.qpu, leases.driver, leases.epoch, ${RUNS_JOB} AS busy,
       EXISTS (SELECT 1 FROM calibration_requests
               WHERE driver = leases.driver AND status = 'pending' AND waits = 1) AS waits
     FROM leases
       JOIN qpus ON qpus.id = leases.qpu JOIN drivers ON drivers.id = leases.driver
     WHERE leases.operation = 'calibrate' AND leases.state = 'attached'
       AND qpus.enabled = 1 AND drivers.enabled = 1
       AND EXISTS (SELECT 1 FROM calibration_requests WHERE driver = leases.driver AND status = 'pending')
       AND NOT EXISTS (SELECT 1 FROM calibration_requests WHERE driver = leases.driver AND status = 'running')
       AND NOT EXISTS (SELECT 1 FROM tuner_runs WHERE driver = leases.driver)
     ORDER BY leases.${INSERTION_ORDER}`,
  )
}

/**
 * The oldest pending request of a tuner waits until its QPU runs no job; no other job starts there meanwhile.
 * The running one ends within its time limit, or is requeued then: see `listAwaitedJobs`.
 */
export function awaitRunningJob(tx: Tx, { qpu, driver }: DispatchTarget): void {
  const changed = tx.run(
    `UPDATE calibration_requests SET waits = 1
     WHERE seq = (SELECT min(seq) FROM calibration_requests WHERE driver = $driver AND status = 'pending')
       AND EXISTS (SELECT 1 FROM quantum_jobs WHERE status = 'running' AND qpu = $qpu)`,
    { qpu, driver },
  )
  if (changed > 0) tx.changed(qpus, qpu, 'update')
}

/** Identifies one run of a request. */
export interface CalibrationRun {
  run: string
  driver: string
}

/** A calibration assigned to its tuner; send it after the transaction is committed. */
export interface CalibrationClaim extends CalibrationRun {
  request: string
  epoch: number
  mode: CalibrationRequest['mode']
  targetQubits: unknown
  /** The request whose finished steps are not repeated; empty for a calibration of its own. */
  resumes: string
}

/**
 * Assigns its oldest pending request to a tuner, as a new run. Undefined when nothing is pending, a run is
 * active or the QPU runs a job.
 */
export function claimCalibration(
  tx: Tx,
  { qpu, driver, epoch }: DispatchTarget,
): CalibrationClaim | undefined {
  const run = newId(tx.now)
  const [request] = tx.runUpdate(
    calibrationRequests,
    `UPDATE calibration_requests SET status = 'running', run_id = $run, epoch = $epoch, confirmed = 0, waits = 0,
       progress = NULL, error = '', started_at = $at, updated = $at
     WHERE seq = (SELECT min(seq) FROM calibration_requests WHERE driver = $driver AND status = 'pending')
       AND NOT EXISTS (SELECT 1 FROM calibration_requests WHERE driver = $driver AND status = 'running')
       AND NOT EXISTS (SELECT 1 FROM tuner_runs WHERE driver = $driver)
       AND NOT EXISTS (SELECT 1 FROM quantum_jobs WHERE status = 'running' AND qpu = $qpu)`,
    { qpu, driver, epoch, run, at: tx.at },
  )
  if (!request) return undefined
  const { id, mode, target_qubits: targetQubits, resumes } = request
  return { request: id, run, driver, epoch, mode, targetQubits, resumes }
}

/**
 * Records that the tuner has begun the run, even one that was considered lost. False when it is not that
 * tuner's run, or the start was recorded before.
 */
export function confirmCalibration(tx: Tx, { run, driver }: CalibrationRun): boolean {
  const row = tx.one<{ id: string }>(
    `UPDATE calibration_requests SET status = 'running', confirmed = 1, updated = $at,
       started_at = CASE started_at WHEN '' THEN $at ELSE started_at END
     WHERE run_id = $run AND driver = $driver AND (status = 'running' AND confirmed = 0 OR status = 'pending' AND
       NOT EXISTS (SELECT 1 FROM calibration_requests WHERE driver = $driver AND status = 'running'))
     RETURNING id`,
    { run, driver, at: tx.at },
  )
  if (row) tx.changed(calibrationRequests, row.id, 'update')
  return row !== undefined
}

/**
 * The run was not delivered to its tuner, or the tuner refused it: the request is pending again. It keeps the
 * id of the run, so that a late report still belongs to it. False when the request has changed since.
 */
export function requeueUndeliveredCalibration(tx: Tx, run: CalibrationRun): boolean {
  return (
    updateRunning(tx, run, `status = 'pending', waits = 0, started_at = '', progress = NULL`) !== undefined
  )
}

/** Ends a run that the tuner no longer has. A run that never began becomes pending again; any other fails. */
export function endLostCalibration(
  tx: Tx,
  run: CalibrationRun,
  reason: string,
): 'pending' | 'failed' | undefined {
  if (failCalibration(tx, run, reason, 'AND confirmed = 1')) return 'failed'
  return requeueUndeliveredCalibration(tx, run) ? 'pending' : undefined
}

/** Fails a run without a report. False when the request has changed since. */
export function failCalibration(tx: Tx, run: CalibrationRun, reason: string, condition = ''): boolean {
  const change = `status = 'failed', error = $reason, finished_at = $at`
  const request = updateRunning(tx, run, change, { condition, reason })
  if (request !== undefined) announceFailedRequest(tx, request)
  return request !== undefined
}

/**
 * Stores the progress of a run. Its original plan stays, and the outcomes are collected: a step names only
 * the latest one. False when it is not that tuner's run any more.
 */
export function recordProgress(tx: Tx, run: CalibrationRun, progress: Record<string, unknown>): boolean {
  const request = tx.findBy(calibrationRequests, { run_id: run.run, driver: run.driver, status: 'running' })
  if (!request) return false
  const collected = collectProgress(request.progress, progress)
  tx.update(calibrationRequests, request.id, { progress: collected, confirmed: true })
  return true
}

/** Updates the request of a run that is active; returns its id. */
function updateRunning(
  tx: Tx,
  { run, driver }: CalibrationRun,
  change: string,
  { condition = '', ...params }: { condition?: string; reason?: string } = {},
): string | undefined {
  const row = tx.one<{ id: string }>(
    `UPDATE calibration_requests SET ${change}, updated = $at
     WHERE run_id = $run AND driver = $driver AND status = 'running' ${condition} RETURNING id`,
    { run, driver, at: tx.at, ...params },
  )
  if (row) tx.changed(calibrationRequests, row.id, 'update')
  return row?.id
}

/** Runs assigned to a tuner under a lease older than `epoch`. */
export function listRunsOfOlderLeases(
  tx: ReadTx,
  { driver, epoch }: { driver: string; epoch: number },
): CalibrationRun[] {
  return tx.all(
    `SELECT run_id AS run, driver FROM calibration_requests
     WHERE driver = $driver AND status = 'running' AND epoch < $epoch`,
    { driver, epoch },
  )
}

/** All running calibrations. */
export function listRunningCalibrations(tx: ReadTx): CalibrationRun[] {
  return tx.all(
    `SELECT run_id AS run, driver FROM calibration_requests WHERE status = 'running' ORDER BY seq`,
  )
}

/** Whether the server still waits for this run. */
export function isCurrentRun(tx: ReadTx, { run, driver }: CalibrationRun): boolean {
  const row = tx.one(
    `SELECT 1 FROM calibration_requests
     WHERE run_id = $run AND driver = $driver AND status IN ('running', 'pending')`,
    { run, driver },
  )
  return row !== undefined
}

/** Reports of runs that reached their end. */
const COMPLETE: ReadonlySet<string> = new Set(['success', 'partial_failure'])

/**
 * What a request asks for that continues another one: the tuner, mode and targets of that one, and the
 * request that the first of them was, under which the tuner keeps the finished steps.
 * @throws AppError `not_found`, or `conflict`: `calibration_not_ended` (it or a continuation of it waits or
 *   runs) or `nothing_to_resume` (it, or a continuation of it, has reached its end).
 */
export function resumableCalibration(
  tx: ReadTx,
  id: string,
): Pick<CalibrationRequest, 'driver' | 'mode' | 'target_qubits' | 'resumes'> {
  const wanted = tx.find(calibrationRequests, id)
  if (!wanted) throw new AppError('not_found', `There is no calibration request ${id}`)
  const first = wanted.resumes === '' ? id : wanted.resumes
  const all = tx.all<{ id: string; status: string; report: string | null }>(
    `SELECT calibration_requests.id, calibration_requests.status, calibration_results.status AS report
       FROM calibration_requests LEFT JOIN calibration_results ON calibration_results.id = calibration_requests.result
     WHERE calibration_requests.id = $first OR calibration_requests.resumes = $first`,
    { first },
  )
  for (const each of all) {
    const what = `Calibration ${each.id}${each.id === id ? '' : `, which continues ${first},`}`
    if (each.status === 'pending' || each.status === 'running') {
      const reason = 'calibration_not_ended'
      throw new AppError('conflict', `${what} is ${each.status}; wait for its end, or set it to failed`, {
        reason,
      })
    }
    if (each.report !== null && COMPLETE.has(each.report)) {
      const reason = 'nothing_to_resume'
      const text = `${what} reached its end (${each.report}): nothing is left to continue; request a new calibration`
      throw new AppError('conflict', text, { reason })
    }
  }
  const { driver, mode, target_qubits } = wanted
  return { driver, mode, target_qubits, resumes: first }
}
