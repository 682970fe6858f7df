import { createHash } from 'node:crypto'
import { IN_FORCE } from '../../collections/calibration_results.ts'
import { firstOf, mapped, type Query } from '../../engine/query.ts'
import type { SqlReader, SqlWriter } from '../../engine/sql.ts'
import type { ReadTx } from '../../records/tx.ts'

/** A file as the driver has read it. */
interface FileState {
  sha256: string
  modified_at: string
}

/** What a driver knows of an attempt; its device file is part of the calibration. */
export interface KnownProvenance {
  device_file?: { before: FileState; after: FileState } | undefined
  [key: string]: unknown
}

/** The calibration of a QPU at one moment; what is absent is not known. */
interface CalibrationState {
  /** Id of the newest report in force, and its end. */
  report?: string
  calibrated_at?: string
  device_file?: FileState
}

/** The calibration when an attempt began and when it ended. */
export interface AttemptCalibration {
  before: CalibrationState
  after: CalibrationState
  /** Whether the device file or the newest report is another one. */
  changed: boolean
}

/** An attempt whose provenance is stored. */
interface EndedAttempt {
  qpu: string
  /** UTC text. */
  claimedAt: string
  endedAt: string
  known: KnownProvenance | undefined
  /** The newest report of its QPU at `endedAt` or later. */
  newest: Report | undefined
}

/** SQL for the number of what `saveProvenance` has stored; `hash` is SQL for what that returned. */
export function provenanceSql(hash: string): string {
  return `coalesce((SELECT id FROM job_provenance WHERE hash = ${hash}), 0)`
}

/**
 * Stores what an attempt ran with, unless the same is stored; returns its hash, '' if nothing is known. The
 * caller stores the number with the job or the attempt, see `provenanceSql`.
 */
export function saveProvenance(
  tx: SqlWriter,
  { qpu, claimedAt, endedAt, known = {}, newest }: EndedAttempt,
): string {
  const inForce = (last: Report | undefined, at: string) =>
    last && last.at > at ? newestReport(tx, qpu, at) : last
  const after = inForce(newest, endedAt)
  const before = inForce(after, claimedAt)
  const { device_file: file, ...others } = known
  const calibration: AttemptCalibration | undefined =
    after || file
      ? {
          before: stateOf(before, file?.before),
          after: stateOf(after, file?.after),
          changed: before?.id !== after?.id || file?.before.sha256 !== file?.after.sha256,
        }
      : undefined
  const body = JSON.stringify({ ...others, ...(calibration && { calibration }) })
  if (body === '{}') return ''
  const hash = createHash('sha256').update(body).digest('hex')
  tx.post(
    `INSERT INTO job_provenance (hash, report, report_after, body) SELECT $hash, $report, $reportAfter, $body
     WHERE NOT EXISTS (SELECT 1 FROM job_provenance WHERE hash = $hash)`,
    { hash, report: before?.id ?? '', reportAfter: after?.id ?? '', body },
  )
  return hash
}

export interface Report {
  id: string
  at: string
}

/** The newest report of a QPU that was in force at a time. */
export function newestReport(tx: SqlReader, qpu: string, at: string): Report | undefined {
  return tx.one<Report>(newestReportSql('$qpu'), { qpu, at })
}

/** The newest report of the QPU that a job is on. */
export function newestReportOfJob(job: string): Query<Report | undefined> {
  return firstOf<Report>(newestReportSql('(SELECT qpu FROM quantum_jobs WHERE id = $job)'), { job })
}

function newestReportSql(qpu: string): string {
  return `SELECT id, finished_at AS at FROM calibration_results
     WHERE qpu = ${qpu} AND (${IN_FORCE}) AND finished_at <= $at ORDER BY finished_at DESC, seq DESC LIMIT 1`
}

/** The report of a calibration that ran on a QPU between two times: it disturbed the job that did, too. */
export function disturbingReport(run: { qpu: string; from: string; to: string }): Query<string | undefined> {
  // Calibrations of a QPU follow each other: only the first that ends later may have begun before.
  const report = firstOf<{ id: string }>(
    `SELECT id FROM (SELECT id, started_at FROM calibration_results
       WHERE qpu = $qpu AND (${IN_FORCE}) AND finished_at > $from ORDER BY finished_at, seq LIMIT 1) next
     WHERE started_at < $to`,
    run,
  )
  return mapped(report, (found) => found?.id)
}

function stateOf(report: Report | undefined, file: FileState | undefined): CalibrationState {
  return {
    ...(report && { report: report.id, calibrated_at: report.at }),
    ...(file && { device_file: file }),
  }
}

/** The numbers of what the attempts of these jobs ran with. `jobs`: a JSON list of ids. */
export function provenanceOf(tx: ReadTx | SqlWriter, jobs: string): number[] {
  return tx
    .all<{ id: number }>(
      `SELECT provenance AS id FROM quantum_jobs WHERE id IN ${tx.dialect.jsonTexts('$jobs')} AND provenance > 0
       UNION SELECT provenance FROM job_attempts WHERE job IN ${tx.dialect.jsonTexts('$jobs')} AND provenance > 0`,
      { jobs },
    )
    .map(({ id }) => id)
}

/** Removes what no attempt refers to any more. */
export function removeUnusedProvenance(tx: SqlWriter, ids: readonly number[]): void {
  if (ids.length === 0) return
  tx.post(
    `DELETE FROM job_provenance WHERE id IN ${tx.dialect.jsonNumbers('$ids')}
       AND NOT EXISTS (SELECT 1 FROM quantum_jobs WHERE provenance = job_provenance.id AND provenance > 0)
       AND NOT EXISTS (SELECT 1 FROM job_attempts WHERE provenance = job_provenance.id AND provenance > 0)`,
    { ids: JSON.stringify(ids) },
  )
}
