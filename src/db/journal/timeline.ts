import { jsonAt, jsonItems } from '../sqlite/dialect.ts'
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

/** SQL for the events of a job whose row is `job`, a table as of `jsonItems`. */
export function eventsSql(job: string): string {
  return jsonItems(`('[' || ${job}.history || ']')`)
}

/** SQL for the name of one of these events. */
export function eventNameSql(event: string): string {
  return jsonAt(`${event}.value`, "'$[1]'")
}

/** A condition: the job was imported. */
export function isImportedSql(job: string): string {
  return `${job}.history LIKE '%,"imported",%'`
}

/**
 * Appends an event to a job's timeline, in the transaction that causes it. `at` defaults to now. The row of
 * the job has them as JSON lists (time, event, attempt, detail), joined by commas.
 */
export function appendTimeline(
  tx: SqlWriter,
  job: string,
  { at = tx.at, event, attempt, detail }: Omit<TimelineEntry, 'at'> & { at?: string },
): void {
  tx.run(
    `UPDATE quantum_jobs SET history = CASE history WHEN '' THEN $entry ELSE history || ',' || $entry END
     WHERE id = $job`,
    { job, entry: JSON.stringify([at, event, attempt, detail]) },
  )
}

/** The timeline of a job, oldest first. */
export function listTimeline(tx: SqlReader, job: string): TimelineEntry[] {
  const row = tx.one<{ history: string }>('SELECT history FROM quantum_jobs WHERE id = $job', { job })
  const entries = JSON.parse(`[${row?.history ?? ''}]`) as [string, JobEvent, number, string][]
  return entries.map(([at, event, attempt, detail]) => ({ at, event, attempt, detail }))
}
