/**
 * Submission, cancellation and listing of jobs.
 *
 * States and the functions that change them. Each transition is one guarded UPDATE with its timeline entry
 * and its change, in one transaction; when it changes no row, another transition came first, and nothing
 * happens.
 *
 * | transition | from → to | function |
 * |---|---|---|
 * | T1 | – → pending | `insertJob` |
 * | T2 | pending → running | `claimJob` (dispatch.ts) |
 * | T3, T3' | running, pending → completed | `applyResult` (results.ts) |
 * | T4 | running, pending → failed (an error of the job) | `applyResult` |
 * | T5 | running → pending (an error of the device) | `applyResult` |
 * | T6 | running → pending (the driver is silent) | `requeueLost` (results.ts) |
 * | T7 | running → failed (too many attempts) | `applyResult`, `requeueLost` |
 * | T8 | pending → cancelled | `cancelJob` |
 * | T9 | running → pending (not delivered to the driver) | `requeueUndelivered` (dispatch.ts) |
 * | T10 | running → pending (requeued by an operator) | `requeueJob` (operator-actions.ts) |
 */
import { AppError } from '../../../base/index.ts'
import { quantumJobs } from '../../collections/quantum_jobs.ts'
import { users } from '../../collections/users.ts'
import { appendTimeline } from '../../journal/timeline.ts'
import { fitting, lengthOf } from '../../records/page-size.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'
import { JsonText } from '../../schema/json-text.ts'
import { RECORD_BYTES } from '../../schema/stored-bytes.ts'
import { jsonValues } from '../../sqlite/dialect.ts'
import type { User } from '../accounts/accounts.ts'
import { assertMayStore, storedBytesOf } from '../accounts/stored-bytes.ts'
import { announceJobEnd } from './announce-end.ts'
import type { JobNeeds } from './fits-qpu.ts'
import { saveLabels } from './labels.ts'

export type Job = RecordOf<typeof quantumJobs>

/** A validated job to add to the queue. */
interface NewJob {
  user: string
  /** Id of a QPU; '' = any. */
  qpu: string
  /** The programs and options for the device. */
  payload: unknown
  /** What it needs of a QPU; everything that is missing is unknown. */
  needs: Partial<JobNeeds>
  /** What its results must contain, as JSON; '' = unknown. */
  expected?: string
  /** What its programs need of a chip, as JSON; '' = unknown. */
  chipNeeds?: string
  name?: string
  tags?: readonly string[]
  /** JSON text of the names and metadata of its circuits; '' = none. */
  labels?: string
}

/** Limits of submissions. */
interface SubmitLimits {
  /** Maximum number of pending jobs of a user. */
  maxPending: number
  /** Maximum bytes of the stored jobs of a user; none or 0 = no limit. */
  maxUserBytes?: number
}

/**
 * T1: appends a job to the queue.
 * @throws AppError `forbidden` (disabled account, no balance), `conflict` (too many pending jobs),
 *   `too_large` or `over_quota` (stored bytes).
 */
export function insertJob(tx: Tx, job: NewJob, limits: SubmitLimits): Job {
  const { owner, used } = assertMaySubmit(tx, job.user, limits)
  const row = tx.insert(quantumJobs, {
    user_id: job.user,
    qpu_target: job.qpu,
    payload: job.payload,
    ...job.needs,
    expected_results: job.expected ?? '',
    chip_needs: job.chipNeeds ?? '',
    name: job.name ?? '',
    tags: job.tags && job.tags.length > 0 ? job.tags : null,
    status: 'pending',
  })
  if (job.labels) saveLabels(tx, row.id, job.labels)
  // Counted by the insert; the refusal undoes it.
  const bytes = storedBytesOf(tx, job.user) - used
  assertMayStore(owner, { used, bytes, maxUserBytes: limits.maxUserBytes ?? 0 })
  appendTimeline(tx, row.id, { event: 'submitted', attempt: 0, detail: '' })
  return row
}

/**
 * Checks that a user may submit a job now, which counts `bytes`; returns the user and the bytes stored.
 * @throws AppError as `insertJob` does.
 */
export function assertMaySubmit(
  tx: ReadTx,
  user: string,
  { maxPending, maxUserBytes = 0 }: SubmitLimits,
  bytes = RECORD_BYTES,
): { owner: User; used: number } {
  const owner = tx.find(users, user)
  if (!owner || owner.disabled) {
    throw new AppError('forbidden', 'This account is disabled; ask an administrator', {
      reason: 'account_disabled',
    })
  }
  if (!owner.unlimited && owner.qpu_seconds <= 0) {
    throw new AppError('forbidden', 'Insufficient QPU seconds balance', {
      reason: 'insufficient_qpu_seconds',
    })
  }
  const pending = countPending(tx, user)
  if (pending >= maxPending) {
    throw new AppError(
      'conflict',
      `You have ${pending} pending jobs, the maximum; wait for some to run or cancel some`,
      { reason: 'too_many_pending_jobs' },
    )
  }
  const used = storedBytesOf(tx, user)
  assertMayStore(owner, { used, bytes, maxUserBytes })
  return { owner, used }
}

/**
 * Reads an index of pending jobs only, which a test asserts. Without the hint, SQLite would read all of the
 * user's jobs.
 */
export const COUNT_PENDING = `SELECT count(*) AS pending
  FROM quantum_jobs INDEXED BY quantum_jobs_held_user_id
  WHERE status = 'pending' AND held IN (0, 1) AND user_id = $user`

/** The bytes that a new job counts. */
export function bytesOfJob(payload: unknown): number {
  const json = payload instanceof JsonText ? payload : new JsonText(JSON.stringify(payload))
  return RECORD_BYTES + json.byteLength
}

/** Number of pending jobs of a user, held or not. */
export function countPending(tx: ReadTx, user: string): number {
  return tx.one<{ pending: number }>(COUNT_PENDING, { user })?.pending ?? 0
}

/** T8: cancels a pending job; undefined when it is not pending. */
export function cancelJob(tx: Tx, id: string, detail = ''): Job | undefined {
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = 'cancelled', finished_at = $at, not_before = 0, held = 0,
       hold_reason = '', updated = $at
     WHERE id = $id AND status = 'pending'`,
    { id, at: tx.at },
  )
  if (changed === 0) return undefined
  const job = tx.find(quantumJobs, id)
  appendTimeline(tx, id, { event: 'cancelled', attempt: job?.attempt ?? 0, detail })
  announceJobEnd(tx, id)
  tx.changed(quantumJobs, id, 'update')
  return job
}

/** Name and tags of a job, validated. */
export interface JobLabels {
  name?: string | undefined
  tags?: readonly string[] | undefined
}

/** Changes the name and the tags that are given; a job in any state keeps everything else. */
export function labelJob(tx: Tx, id: string, { name, tags }: JobLabels): void {
  tx.run(
    `UPDATE quantum_jobs SET name = coalesce($name, name), updated = $at,
       tags = CASE WHEN $hasTags THEN $tags ELSE tags END WHERE id = $id`,
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

/** A job; its large values of more than `most` bytes stay in the database. */
export function findJob(tx: ReadTx, id: string, most?: number): Job | undefined {
  return tx.find(quantumJobs, id, most)
}

/** What the results of a job must contain, as JSON; '' for an unknown job and one of an earlier version. */
export function expectedResultsOfJob(tx: ReadTx, id: string): string {
  const sql = 'SELECT expected_results AS expected FROM quantum_jobs WHERE id = $id'
  return tx.one<{ expected: string }>(sql, { id })?.expected ?? ''
}

/** What the programs of a job need of a chip, as JSON; '' for an unknown job and where it is not known. */
export function chipNeedsOfJob(tx: ReadTx, id: string): string {
  const sql = 'SELECT chip_needs AS needs FROM quantum_jobs WHERE id = $id'
  return tx.one<{ needs: string }>(sql, { id })?.needs ?? ''
}

/** The jobs among `ids` that belong to the user, or to anybody without a user, in the order of `ids`. */
export function listJobs(
  tx: ReadTx,
  user: string | undefined,
  { ids, without = [], most }: { ids: readonly string[]; without?: readonly string[]; most?: number },
): Job[] {
  const where = user === undefined ? {} : { user_id: user }
  return tx.list(quantumJobs, { ids, where, without, most })
}

/** A job as somebody knows it; an empty status is none of a job. */
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
 * together, but at least one. `user`: whose jobs; undefined for those of everybody.
 */
export function findJobChanges(
  tx: ReadTx,
  user: string | undefined,
  known: readonly KnownJob[],
  { most, maxBytes }: { most: number; maxBytes: number },
): JobChanges {
  const rows = tx.all<{ id: string; status: string; bytes: number }>(
    `SELECT id, status, ${lengthOf(quantumJobs, ['results'])} AS bytes FROM quantum_jobs
     WHERE id IN ${jsonValues('$ids')} AND ($user = '' OR user_id = $user)`,
    { ids: JSON.stringify(known.map(({ id }) => id)), user: user ?? '' },
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
