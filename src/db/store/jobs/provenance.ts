import { createHash } from 'node:crypto'
import { IN_FORCE } from '../../collections/calibration_results.ts'
import type { SqlWriter } from '../../engine/sql.ts'
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
  known: KnownProvenance | undefined
}

/**
 * Stores what an attempt ran with, unless the same is stored; returns its number, 0 if nothing is known.
 * The caller stores the number with the job or the attempt.
 */
export function saveProvenance(tx: SqlWriter, { qpu, claimedAt, known = {} }: EndedAttempt): number {
  const after = newestReport(tx, qpu, tx.at)
  const before = after && after.at > claimedAt ? newestReport(tx, qpu, claimedAt) : after
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
  if (body === '{}') return 0
  const hash = createHash('sha256').update(body).digest('hex')
  const stored = tx.one<{ id: number }>('SELECT id FROM job_provenance WHERE hash = $hash', { hash })
  if (stored) return stored.id
  const added = tx.one<{ id: number }>(
    `INSERT INTO job_provenance (hash, report, report_after, body)
     VALUES ($hash, $report, $reportAfter, $body) RETURNING id`,
    { hash, report: before?.id ?? '', reportAfter: after?.id ?? '', body },
  )
  return added?.id ?? 0
}

interface Report {
  id: string
  at: string
}

/** The newest report of a QPU that was in force at a time. */
function newestReport(tx: SqlWriter, qpu: string, at: string): Report | undefined {
  return tx.one<Report>(
    `SELECT id, finished_at AS at FROM calibration_results
     WHERE qpu = $qpu AND (${IN_FORCE}) AND finished_at <= $at ORDER BY finished_at DESC, seq DESC LIMIT 1`,
    { qpu, at },
  )
}

/** The report of a calibration that ran on a QPU between two times: it disturbed the job that did, too. */
export function disturbingReport(
  tx: ReadTx,
  { qpu, from, to }: { qpu: string; from: string; to: string },
): string | undefined {
  // Calibrations of a QPU follow each other: only the first that ends later may have begun before.
  return tx.one<{ id: string }>(
    `SELECT id FROM (SELECT id, started_at FROM calibration_results
       WHERE qpu = $qpu AND (${IN_FORCE}) AND finished_at > $from ORDER BY finished_at, seq LIMIT 1) next
     WHERE started_at < $to`,
    { qpu, from, to },
  )?.id
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
