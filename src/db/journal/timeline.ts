import { newId } from '../../base/index.ts'
import { INSERTION_ORDER } from '../sqlite/dialect.ts'
import type { SqlReader, SqlWriter } from '../sqlite/sql.ts'

/** The events of a job. */
export type JobEvent =
  | 'submitted'
  | 'claimed'
  | 'undelivered'
  | 'started'
  | 'lost'
  | 'requeued'
  | 'held'
  | 'released'
  | 'moved_to_front'
  | 'moved'
  | 'device_error'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'imported'

/** One entry of a job's timeline. `attempt` 0 = before the first claim. */
export interface TimelineEntry {
  at: string
  event: JobEvent
  attempt: number
  /** Details as text; '' without details. */
  detail: string
}

/** Appends an event to a job's timeline, in the transaction that causes it. `at` defaults to now. */
export function appendTimeline(
  tx: SqlWriter,
  job: string,
  entry: Omit<TimelineEntry, 'at'> & { at?: string },
): void {
  tx.run(
    `INSERT INTO job_timeline (id, job, at, event, attempt, detail)
     VALUES ($id, $job, $at, $event, $attempt, $detail)`,
    { id: newId(tx.now), job, at: tx.at, ...entry },
  )
}

/** The timeline of a job, oldest first. */
export function listTimeline(tx: SqlReader, job: string): TimelineEntry[] {
  return tx.all<TimelineEntry>(
    `SELECT at, event, attempt, detail FROM job_timeline WHERE job = $job ORDER BY ${INSERTION_ORDER}`,
    { job },
  )
}
