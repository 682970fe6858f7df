import { KIB } from '../../base/index.ts'
import type { Dialect } from '../engine/dialect.ts'
import type { SqlReader, SqlWriter } from '../engine/sql.ts'

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
export function eventsSql({ jsonItems }: Dialect, job: string): string {
  return jsonItems(`('[' || ${job}.history || ']')`)
}

/** SQL for the name of one of these events. */
export function eventNameSql({ jsonAt }: Dialect, event: string): string {
  return jsonAt(`${event}.value`, "'$[1]'")
}

/** A condition: the job was imported. */
export function isImportedSql(dialect: Dialect, job: string): string {
  return dialect.like(`${job}.history`, `'%,"imported",%'`)
}

/** Characters of a timeline in the row of its job, which `maxAttempts` 0 would let grow without end. */
const MAX_CHARACTERS = 64 * KIB
/** Entries that a longer timeline keeps at its beginning and at its end. */
const KEPT = 100

/**
 * Appends an event to a job's timeline, in the transaction that causes it. `at` defaults to now. The row of
 * the job has them as JSON lists (time, event, attempt, detail), joined by commas. A timeline above 64 KiB
 * keeps its first and last 100 entries; the numbers of the attempts show what was left out.
 */
export function appendTimeline(
  tx: SqlWriter,
  job: string,
  { at = tx.at, event, attempt, detail }: Omit<TimelineEntry, 'at'> & { at?: string },
): void {
  const row = tx.one<{ characters: number }>(
    `UPDATE quantum_jobs SET history = CASE history WHEN '' THEN $entry ELSE history || ',' || $entry END
     WHERE id = $job RETURNING length(history) AS characters`,
    { job, entry: JSON.stringify([at, event, attempt, detail]) },
  )
  if (row && row.characters > MAX_CHARACTERS) shorten(tx, job)
}

function shorten(tx: SqlWriter, job: string): void {
  const entries = readEntries(tx, job)
  const kept = entries.length > 2 * KEPT ? [...entries.slice(0, KEPT), ...entries.slice(-KEPT)] : entries
  const history = JSON.stringify(kept).slice(1, -1)
  tx.post('UPDATE quantum_jobs SET history = $history WHERE id = $job', { job, history })
}

type Entry = [at: string, event: JobEvent, attempt: number, detail: string]

function readEntries(tx: SqlReader, job: string): Entry[] {
  const row = tx.one<{ history: string }>('SELECT history FROM quantum_jobs WHERE id = $job', { job })
  return JSON.parse(`[${row?.history ?? ''}]`)
}

/** The timeline of a job, oldest first. */
export function listTimeline(tx: SqlReader, job: string): TimelineEntry[] {
  return readEntries(tx, job).map(([at, event, attempt, detail]) => ({ at, event, attempt, detail }))
}
