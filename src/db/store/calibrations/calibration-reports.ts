import { toTimestamp } from '../../../base/index.ts'
import { calibrationRequests } from '../../collections/calibration_requests.ts'
import { calibrationResults } from '../../collections/calibration_results.ts'
import { boundReports } from '../../hooks/bound-times.ts'
import type { Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'
import { calibrationChanged } from '../qpus/recalled-calibration.ts'
import { announceCalibrationEnd } from './announce-end.ts'
import type { CalibrationRun } from './calibrations.ts'
import { endOwnRun } from './own-runs.ts'

type Result = RecordOf<typeof calibrationResults>

/** The end of a run, as its tuner reports it. */
export interface Report extends CalibrationRun {
  qpu: string
  /** Id of the request in the command to the tuner; null for a run that the tuner started itself. */
  request: string | null
  /** ms since the epoch, by the tuner's clock. */
  startedAt: number
  endedAt: number
  mode: Result['mode']
  findings: Pick<
    Result,
    'status' | 'routines' | 'benchmarks' | 'skipped' | 'notes' | 'backend' | 'device_file'
  > & {
    errors: readonly string[]
  }
}

/**
 * The outcome of a report. `done`: it ends a request. `stored`: no request waits for it, since the tuner
 * started the run itself or the run was given up. `stale`: it was stored before. `foreign`: the run belongs
 * to another tuner.
 */
export type ReportOutcome = 'done' | 'stored' | 'stale' | 'foreign'

/** Maximum length of all errors of a report together. */
const MAX_ERRORS_LENGTH = 100_000

/** Stores a report once and ends the request whose last run it is, in one transaction. */
export function storeReport(tx: Tx, report: Report): ReportOutcome {
  const { run, driver, qpu } = report
  if (tx.one('SELECT 1 FROM calibration_results WHERE run_id = $run', { run })) return 'stale'
  const request = tx.findBy(calibrationRequests, { run_id: run }) ?? requestOf(tx, report)
  if (request && request.driver !== driver) return 'foreign'
  const { errors, ...findings } = report.findings
  // Bounded by the server's clock: the reports of a tuner whose clock is ahead must not outlive all others.
  const endedAt = Math.min(report.endedAt, tx.now)
  boundReports(tx, endedAt)
  const result = tx.insert(calibrationResults, {
    ...findings,
    driver,
    qpu,
    run_id: run,
    request: request?.id ?? '',
    mode: report.mode === '' ? (request?.mode ?? '') : report.mode,
    error: errors.join('\n').slice(0, MAX_ERRORS_LENGTH),
    started_at: toTimestamp(Math.min(report.startedAt, tx.now)),
    finished_at: toTimestamp(endedAt),
  })
  // The end of such a run publishes the QPU.
  if (!endOwnRun(tx, { run, driver })) calibrationChanged(tx, qpu)
  const { error, status } = result
  announceCalibrationEnd(tx, { request: request?.id ?? '', result: result.id, driver, qpu, status, error })
  if (!request || request.run_id !== run) return 'stored'
  const isOpen = request.status === 'running' || request.status === 'pending'
  const end = isOpen ? { status: 'done' as const, finished_at: tx.at } : {}
  tx.update(calibrationRequests, request.id, { result: result.id, ...end })
  return isOpen ? 'done' : 'stored'
}

/** The request of a run that another run has replaced. */
function requestOf(tx: Tx, { request }: Report) {
  return request === null ? undefined : tx.find(calibrationRequests, request)
}
