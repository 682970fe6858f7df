import { KIB } from '../../base/index.ts'
import type { Dialect } from '../engine/dialect.ts'
import { firstOf, mapped, type Query } from '../engine/query.ts'
import type { SqlWriter } from '../engine/sql.ts'

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
/** So many attempts add less than that to it: nobody needs to know its length. */
export const SHORT_ATTEMPTS = 20
/** What an operator may do without end. */
const OF_OPERATORS: ReadonlySet<JobEvent> = new Set(['held', 'released', 'moved_to_front', 'moved'])
/** Whether the detail of an event is the reason that an operator may have given. */
export function isOfOperator(event: JobEvent): boolean {
  return event === 'requeued' || OF_OPERATORS.has(event)
}

/** Entries that a longer timeline keeps at its beginning and at its end. */
const KEPT = 100

/** SQL for the column `history` with one more entry, or several joined by commas; `entry` is SQL, too. */
export function appendedSql(entry: string): string {
  return `CASE history WHEN '' THEN ${entry} ELSE history || ',' || ${entry} END`
}

/** SQL for an entry with its parameters; `attempt` is SQL. */
export function entrySql(
  { at, event, detail }: Omit<TimelineEntry, 'attempt'>,
  attempt: string,
): { sql: string; params: Readonly<Record<string, string>> } {
  const params = { entry_at: JSON.stringify([at, event]).slice(0, -1), entry_detail: JSON.stringify(detail) }
  return { sql: `$entry_at || ',' || (${attempt}) || ',' || $entry_detail || ']'`, params }
}

/** An entry as it is in the column. */
export function entryText({ at, event, attempt, detail }: TimelineEntry): string {
  return JSON.stringify([at, event, attempt, detail])
}

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
  const append = `UPDATE quantum_jobs SET history = ${appendedSql('$entry')} WHERE id = $job`
  const params = { job, entry: entryText({ at, event, attempt, detail }) }
  tx.post(append, params)
  if (attempt > SHORT_ATTEMPTS || OF_OPERATORS.has(event)) keepShort(tx, job)
}

/** Shortens a timeline that is too long. */
export function keepShort(tx: SqlWriter, job: string): void {
  const sql = 'SELECT length(history) AS characters FROM quantum_jobs WHERE id = $job'
  const row = tx.one<{ characters: number }>(sql, { job })
  if (!row || row.characters <= MAX_CHARACTERS) return
  const entries = tx.read(entriesOf(job))
  const kept = entries.length > 2 * KEPT ? [...entries.slice(0, KEPT), ...entries.slice(-KEPT)] : entries
  const history = JSON.stringify(kept).slice(1, -1)
  tx.post('UPDATE quantum_jobs SET history = $history WHERE id = $job', { job, history })
}

type Entry = [at: string, event: JobEvent, attempt: number, detail: string]

function entriesOf(job: string): Query<Entry[]> {
  const row = firstOf<{ history: string }>('SELECT history FROM quantum_jobs WHERE id = $job', { job })
  return mapped(row, (found) => JSON.parse(`[${found?.history ?? ''}]`))
}

/** The timeline of a job, oldest first. */
export function timelineOf(job: string): Query<TimelineEntry[]> {
  return mapped(entriesOf(job), (entries) =>
    entries.map(([at, event, attempt, detail]) => ({ at, event, attempt, detail })),
  )
}
