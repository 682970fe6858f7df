/**
 * Reading of jobs, and their names and tags, which a job in any state may change.
 *
 * States and the functions that change them, each in the file of `transitions/` that the table names. Each
 * transition is one guarded UPDATE with its timeline entry and its change, in one transaction; when it
 * changes no row, another transition came first, and nothing happens.
 *
 * | transition | from → to | function |
 * |---|---|---|
 * | T1 | – → pending | `insertJob` (insert) |
 * | T2 | pending → running | `claimJob` (claim) |
 * | – | running, its device has begun | `markStarted` (start) |
 * | T3, T3' | running, pending → completed | `applyResult` (finish) |
 * | T4 | running, pending → failed (an error of the job) | `applyResult` |
 * | T5 | running → pending (an error of the device) | `applyResult`, `retryOrFail` (retry) |
 * | T6 | running → pending (the driver is silent) | `requeueLost` (retry) |
 * | T7 | running → failed (too many attempts) | `applyResult`, `requeueLost` |
 * | T8 | pending → cancelled | `cancelJob` (cancel) |
 * | T9 | running → pending (not delivered to the driver) | `requeueUndelivered` (requeue) |
 * | T10 | running → pending (requeued by an operator) | `requeueJob` (requeue) |
 * | T11 | pending → failed (waited too long) | `giveUp` (give up) |
 * | – | pending, held or not | `holdJob` (hold), `releaseJob` (release), `moveJob`, `moveJobToFront` (move) |
 * | – | ended → – | `deleteJob` (delete) |
 */
import { quantumJobs } from '../../collections/quantum_jobs.ts'
import { fitting, lengthOf } from '../../records/page-size.ts'
import { MAX_HELD_BYTES } from '../../records/stored-values.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'
import type { Unread } from '../../schema/large-values.ts'

export type Job = RecordOf<typeof quantumJobs>

/** Name and tags of a job, validated. */
export interface JobLabels {
  name?: string | undefined
  tags?: readonly string[] | undefined
}

/** Changes the name and the tags that are given; a job in any state keeps everything else. */
export function labelJob(tx: Tx, id: string, { name, tags }: JobLabels): void {
  tx.post(
    `UPDATE quantum_jobs SET name = coalesce($name, name), updated = $at,
       tags = CASE WHEN $hasTags = 1 THEN $tags ELSE tags END WHERE id = $id`,
    {
      id,
      at: tx.at,
      name: name ?? null,
      hasTags: tags === undefined ? 0 : 1,
      tags: tags && tags.length > 0 ? JSON.stringify(tags) : null,
    },
  )
  tx.changed(quantumJobs, id, 'update')
}

/** A job; large values of more than 64 KiB are handles, see `StoredJson`. */
export function findJob(tx: ReadTx, id: string): Job | undefined {
  return tx.find(quantumJobs, id, MAX_HELD_BYTES)
}

/** What the results of a job must contain, as JSON; '' for an unknown job and one of an earlier version. */
export function readExpectedResults(tx: ReadTx, id: string): string {
  const sql = 'SELECT expected_results AS expected FROM quantum_jobs WHERE id = $id'
  return tx.one<{ expected: string }>(sql, { id })?.expected ?? ''
}

/**
 * The jobs among `ids` that belong to the user, or to any user without one, in the order of `ids`; with
 * handles, as `findJob`.
 */
export function listJobs(
  tx: ReadTx,
  user: string | undefined,
  { ids, without = {} }: { ids: readonly string[]; without?: Unread },
): Job[] {
  const where = user === undefined ? {} : { user_id: user }
  return tx.list(quantumJobs, { ids, where, without, most: MAX_HELD_BYTES })
}

/** A job as a client knows it; an unknown status is empty. */
export interface KnownJob {
  readonly id: string
  readonly status: string
}

/** What has changed since then. */
interface JobChanges {
  /** Ids of the first jobs with another status, as many as fit. */
  changed: string[]
  /** Ids of jobs that do not exist, or belong to another user. */
  unknown: string[]
}

/**
 * The jobs among `known` whose status is another one: the first `most` of them, up to `maxBytes` of results
 * together, but at least one. Those of a user, those that a holder of a session has submitted, or those of
 * everybody.
 */
export function findJobChanges(
  tx: ReadTx,
  { user = '', holder = '' }: { user?: string | undefined; holder?: string | undefined },
  known: readonly KnownJob[],
  { most, maxBytes }: { most: number; maxBytes: number },
): JobChanges {
  const rows = tx.all<{ id: string; status: string; bytes: number }>(
    `SELECT id, status, ${lengthOf(quantumJobs, { payload: '' })} AS bytes FROM quantum_jobs
     WHERE id IN ${tx.dialect.jsonTexts('$ids')} AND ($user = '' OR user_id = $user) AND ($holder = '' OR holder = $holder)`,
    { ids: JSON.stringify(known.map(({ id }) => id)), user, holder },
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  const changed = known.flatMap(({ id, status }) => {
    const row = found.get(id)
    return row && row.status !== status ? [row] : []
  })
  return {
    changed: fitting(changed.slice(0, most), maxBytes),
    unknown: known.filter(({ id }) => !found.has(id)).map(({ id }) => id),
  }
}
