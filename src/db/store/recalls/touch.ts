import { firstOf, type Query } from '../../engine/query.ts'
import type { ReadTx } from '../../records/tx.ts'
import { touchSql } from '../../schema/internal/recall-touch.ts'

/** Why the result of a job is not to be relied on. */
export interface RecallMark {
  /** Id of the recall. */
  recall: string
  reason: string
  /** When it was declared, UTC text. */
  at: string
}

/** The mark on a job: the oldest recall in force that its result touches; undefined without one. */
export function recallOf(job: string): Query<RecallMark | undefined> {
  return firstOf<RecallMark>(
    `SELECT recall.id AS recall, recall.reason, recall.created AS at
     FROM quantum_jobs job JOIN recalls recall ON recall.qpu = job.qpu AND recall.undone_at = ''
     WHERE job.id = $job AND ${touchSql('job', 'recall')} ORDER BY recall.id LIMIT 1`,
    { job },
  )
}

/** The marks on reports, by their ids; reports that are not recalled are not among them. */
export function recallsOfReports(tx: ReadTx, reports: readonly string[]): Map<string, RecallMark> {
  const rows = tx.all<RecallMark & { report: string }>(
    `SELECT report, id AS recall, reason, created AS at FROM recalls
     WHERE report <> '' AND undone_at = '' AND report IN ${tx.dialect.jsonTexts('$reports')}`,
    { reports: JSON.stringify(reports) },
  )
  return new Map(rows.map(({ report, ...mark }) => [report, mark]))
}

/** The marks on some jobs, by their ids; jobs without one are not among them. */
export function recallsOf(tx: ReadTx, jobs: readonly string[]): Map<string, RecallMark> {
  const rows = tx.all<RecallMark & { job: string }>(
    `SELECT job.id AS job, recall.id AS recall, recall.reason, recall.created AS at
     FROM quantum_jobs job JOIN recalls recall ON recall.qpu = job.qpu AND recall.undone_at = ''
     WHERE job.id IN ${tx.dialect.jsonTexts('$jobs')} AND ${touchSql('job', 'recall')} ORDER BY recall.id DESC`,
    { jobs: JSON.stringify(jobs) },
  )
  return new Map(rows.map(({ job, ...mark }) => [job, mark]))
}
