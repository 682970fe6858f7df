import { IN_FORCE } from '../../collections/calibration_results.ts'
import { qpus } from '../../collections/qpus.ts'
import { firstOf, type Query } from '../../engine/query.ts'
import type { Tx } from '../../records/tx.ts'

/** The recall of the calibration in force of a QPU: results of jobs that run with it are recalled. */
export interface RecalledCalibration {
  /** Ids of the report and of the recall. */
  report: string
  recall: string
  reason: string
  /** When it was declared, UTC text. */
  at: string
}

/** The recall of the newest report in force of a QPU; retention may have removed all reports. */
export function recalledCalibrationOf(qpu: string): Query<RecalledCalibration | undefined> {
  return firstOf<RecalledCalibration>(
    `SELECT report, id AS recall, reason, created AS at FROM recalls
     WHERE report <> '' AND undone_at = '' AND report = coalesce(
       (SELECT id FROM calibration_results WHERE qpu = $qpu AND (${IN_FORCE}) ORDER BY finished_at DESC, seq DESC LIMIT 1),
       (SELECT report FROM qpu_calibrations WHERE qpu = $qpu))`,
    { qpu },
  )
}

/** The calibration in force of a QPU is another one, or its recall: readers of the QPU read it again. */
export function calibrationChanged(tx: Tx, qpu: string): void {
  if (tx.find(qpus, qpu)) tx.changed(qpus, qpu, 'update')
}
