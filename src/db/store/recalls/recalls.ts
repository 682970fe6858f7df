import { AppError, newId, toTimestamp } from '../../../base/index.ts'
import { calibrationResults, IN_FORCE } from '../../collections/calibration_results.ts'
import { appendAudit } from '../../journal/audit.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { calibrationChanged } from '../qpus/recalled-calibration.ts'

/** A report or an interval of a QPU whose results are declared bad. Times are UTC text; '' = none. */
export interface Recall {
  id: string
  /** Id of the QPU. */
  qpu: string
  /** Id of the calibration report; '' for an interval. */
  report: string
  /** The interval; of a report its end, without another end. */
  from_at: string
  to_at: string
  reason: string
  /** Who declared it, and who withdrew it, in the form of the audit log. */
  actor: string
  created: string
  undone_by: string
  undone_at: string
  undo_reason: string
  /** 1 = every job that it can touch is refunded, or no longer after it was withdrawn. */
  settled: number
}

/** What is declared bad: a report, or an interval of a QPU in ms since the epoch. */
export type RecallSubject = { report: string } | { qpu: string; from: number; to: number }

/** Recalls in force of one QPU: what a mark may have to look at. */
const MAX_IN_FORCE = 1_000

const COLUMNS = `id, qpu, report, from_at, to_at, reason, actor, created, undone_by, undone_at, undo_reason, settled`

/**
 * Declares a report or an interval bad, from which the marks on its results follow; `settleJobs` refunds
 * them. Audited.
 * @throws AppError `not_found`; `conflict` (`report_not_in_force`, `already_recalled`, `too_many_recalls`);
 *   `invalid` for an interval that is empty or has not passed.
 */
export function declareRecall(
  tx: Tx,
  subject: RecallSubject,
  { actor, reason }: { actor: string; reason: string },
): Recall {
  const range = 'report' in subject ? rangeOfReport(tx, subject.report) : rangeOfInterval(tx, subject)
  const { qpu } = range
  const inForce = tx.all<Pick<Recall, 'id' | 'report' | 'from_at' | 'to_at'>>(
    "SELECT id, report, from_at, to_at FROM recalls WHERE qpu = $qpu AND undone_at = ''",
    { qpu },
  )
  const same = inForce.find((each) =>
    (['report', 'from_at', 'to_at'] as const).every((name) => each[name] === range[name]),
  )
  if (same)
    throw new AppError('conflict', `Recall ${same.id} says the same already`, { reason: 'already_recalled' })
  if (inForce.length >= MAX_IN_FORCE) {
    const message = `${MAX_IN_FORCE} recalls of the QPU are in force; withdraw those that a longer interval covers`
    throw new AppError('conflict', message, { reason: 'too_many_recalls' })
  }
  const recall: Recall = {
    id: newId(tx.now),
    ...range,
    reason,
    actor,
    created: tx.at,
    undone_by: '',
    undone_at: '',
    undo_reason: '',
    settled: 0,
  }
  tx.run(
    `INSERT INTO recalls (${COLUMNS}, cursor_at, cursor_job)
     VALUES ($id, $qpu, $report, $from_at, $to_at, $reason, $actor, $created, '', '', '', 0, $from_at, '')`,
    { id: recall.id, ...range, reason, actor, created: recall.created },
  )
  recallChanged(tx, recall)
  appendAudit(tx, { actor, action: 'recall.declare', subject: recall.id, detail: { ...range, reason } })
  return recall
}

/** The report and its QPU are shown in another way. */
function recallChanged(tx: Tx, { qpu, report }: Recall): void {
  if (report === '') return
  if (tx.find(calibrationResults, report)) tx.changed(calibrationResults, report, 'update')
  calibrationChanged(tx, qpu)
}

function rangeOfReport(tx: ReadTx, id: string): Pick<Recall, 'qpu' | 'report' | 'from_at' | 'to_at'> {
  const report = tx.find(calibrationResults, id)
  if (!report) throw new AppError('not_found', `There is no calibration report ${id}`)
  if (!tx.one(`SELECT 1 FROM calibration_results WHERE id = $id AND (${IN_FORCE})`, { id })) {
    const message = `The calibration ended with ${report.status}: its values were never in force, and no job ran with them`
    throw new AppError('conflict', message, { reason: 'report_not_in_force' })
  }
  return { qpu: report.qpu, report: id, from_at: report.finished_at, to_at: '' }
}

function rangeOfInterval(tx: ReadTx, { qpu, from, to }: { qpu: string; from: number; to: number }) {
  const refuse = (field: string, message: string) => {
    throw new AppError('invalid', 'Invalid interval', {
      fields: { [field]: { code: 'validation_invalid', message } },
    })
  }
  if (from >= to) refuse('to', 'Must be after from.')
  if (to > tx.now) refuse('to', `Must not be in the future: it is ${tx.at}.`)
  return { qpu, report: '', from_at: toTimestamp(from), to_at: toTimestamp(to) }
}

/**
 * Withdraws a recall: its marks are gone, and what was refunded because of it alone is deducted again.
 * Audited.
 * @throws AppError `not_found`; `conflict` (`already_undone`).
 */
export function undoRecall(tx: Tx, id: string, { actor, reason }: { actor: string; reason: string }): Recall {
  const recall = findRecall(tx, id)
  if (!recall) throw new AppError('not_found', `There is no recall ${id}`)
  if (recall.undone_at !== '') {
    throw new AppError('conflict', `It was withdrawn at ${recall.undone_at}`, { reason: 'already_undone' })
  }
  tx.run(
    `UPDATE recalls SET undone_at = $at, undone_by = $actor, undo_reason = $reason, settled = 0,
       cursor_at = from_at, cursor_job = '' WHERE id = $id`,
    { id, at: tx.at, actor, reason },
  )
  recallChanged(tx, recall)
  appendAudit(tx, { actor, action: 'recall.undo', subject: id, detail: { reason } })
  return { ...recall, undone_at: tx.at, undone_by: actor, undo_reason: reason, settled: 0 }
}

function findRecall(tx: ReadTx, id: string): Recall | undefined {
  return tx.one<Recall>(`SELECT ${COLUMNS} FROM recalls WHERE id = $id`, { id })
}

/** Recalls, the newest first, those of one report or QPU if given; also those that were withdrawn. */
export function listRecalls(
  tx: ReadTx,
  {
    report,
    qpu,
    skip,
    limit,
  }: { report?: string | undefined; qpu?: string | undefined; skip: number; limit: number },
): Recall[] {
  const conditions = [
    ...(report === undefined ? [] : ['report = $report']),
    ...(qpu === undefined ? [] : ['qpu = $qpu']),
  ]
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return tx.all<Recall>(
    `SELECT ${COLUMNS} FROM recalls ${where} ORDER BY id DESC LIMIT $limit OFFSET $skip`,
    {
      skip,
      limit,
      ...(report !== undefined && { report }),
      ...(qpu !== undefined && { qpu }),
    },
  )
}
