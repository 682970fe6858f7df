import { AppError } from '../../../../base/index.ts'
import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import { users } from '../../../collections/users.ts'
import { ofDialect } from '../../../engine/dialect.ts'
import { firstOf, mapped, type Query } from '../../../engine/query.ts'
import { entryText } from '../../../journal/timeline.ts'
import { MAX_HELD_BYTES } from '../../../records/stored-values.ts'
import type { Tx } from '../../../records/tx.ts'
import { JsonText } from '../../../schema/json-text.ts'
import { RECORD_BYTES } from '../../../schema/stored-bytes.ts'
import { refusalToStore } from '../../accounts/stored-bytes.ts'
import type { JobNeeds } from '../fits-qpu.ts'
import { type Quote, quoteFields } from '../forecast/quote.ts'
import { findJob, type Job } from '../jobs.ts'
import { saveLabels } from '../labels.ts'
import { pendingByUser } from '../pending-by-user.ts'
import { setDeadline } from './give-up.ts'

/** A validated job to add to the queue. */
interface NewJob {
  user: string
  /** Id of a QPU; '' = any. */
  qpu: string
  /** The programs and options for the device: an object, or its text as `JsonText`. */
  payload: unknown
  /** What it needs of a QPU; everything that is missing is unknown. */
  needs: Partial<JobNeeds>
  /** What its results must contain, as JSON; '' = unknown. */
  expected?: string
  /** What its programs need of a chip, as JSON; '' = unknown. */
  chipNeeds?: string
  /** What is expected of it now. */
  quote?: Quote
  /** Most QPU time over all attempts, in ms; 0 = no limit of its own. */
  maxMs?: number
  /** How long it may wait, ms after its submission; 0 = no limit. */
  giveUpMs?: number
  /** SHA-256 of its programs in base64url; '' = unknown. */
  programHash?: string
  /** The holder of a session whose secret submits it. */
  holder?: string | undefined
  name?: string
  tags?: readonly string[]
  /** JSON text of the names and metadata of its circuits; '' = none. */
  labels?: string
}

/** Limits of submissions. */
export interface SubmitLimits {
  /** Maximum number of pending jobs of a user. */
  maxPending: number
  /** Maximum bytes of the stored jobs of a user; none or 0 = no limit. */
  maxUserBytes?: number
}

/** What a submission depends on, of its user. */
export interface Submitter {
  disabled: 0 | 1
  unlimited: 0 | 1
  /** Its balance. */
  qpu_ms: number
  /** See `storedBytesLimit`. */
  max_bytes: number
  /** Bytes stored. */
  used: number
  /** Number of pending jobs, held or not; 0 if they are not counted. */
  pending: number
}

/**
 * The user who submits; undefined for an unknown one. Pending jobs need not be counted if they are known to
 * be fewer than there may be: that takes as long as there are many.
 */
export function submitterOf(user: string, isCounted = true): Query<Submitter | undefined> {
  return firstOf<Submitter>(
    (dialect) => `SELECT disabled, unlimited, qpu_ms, max_bytes, job_bytes AS used,
       ${isCounted ? `(${countPendingSql(dialect)})` : '0'} AS pending FROM users WHERE id = $user`,
    { user },
  )
}

/**
 * T1 of `jobs.ts`: appends a job to the queue. A payload of more than 64 KiB is a handle in the returned
 * record. The transaction has read `submitter`, its user, with `submitterOf`.
 * @throws AppError `forbidden` (disabled account, no balance), `conflict` (too many pending jobs),
 *   `too_large` or `over_quota` (stored bytes).
 */
export function insertJob(tx: Tx, job: NewJob, limits: SubmitLimits, submitter: Submitter | undefined): Job {
  const payload = job.payload instanceof JsonText ? job.payload : new JsonText(JSON.stringify(job.payload))
  const { labels = '', name = '', holder = '', programHash = '', expected = '', chipNeeds = '' } = job
  const refusal = refusalToSubmit(submitter, limits, bytesOfJob(payload, labels))
  if (refusal) throw refusal
  tx.noteFound(users, job.user)
  const submitted = entryText({ at: tx.at, event: 'submitted', attempt: 0, detail: '' })
  const row = tx.postInsert(
    quantumJobs,
    {
      user_id: job.user,
      qpu_target: job.qpu,
      payload,
      ...job.needs,
      expected_results: expected,
      chip_needs: chipNeeds,
      max_ms: job.maxMs ?? 0,
      ...(job.quote && quoteFields(job.quote)),
      program_hash: programHash,
      name,
      tags: job.tags && job.tags.length > 0 ? job.tags : null,
      holder,
      status: 'pending',
    },
    { history: submitted },
  )
  if (job.giveUpMs) setDeadline(tx, row.id, tx.now + job.giveUpMs)
  if (labels) saveLabels(tx, row.id, labels)
  const isLarge = payload.byteLength > MAX_HELD_BYTES
  return isLarge ? (findJob(tx, row.id) ?? row) : row
}

/** Why a user may not submit a job now that counts `bytes`, as `insertJob` says it. */
export function refusalToSubmit(
  submitter: Submitter | undefined,
  { maxPending, maxUserBytes = 0 }: SubmitLimits,
  bytes: number,
): AppError | undefined {
  if (!submitter || submitter.disabled) {
    return new AppError('forbidden', 'This account is disabled; ask an administrator', {
      reason: 'account_disabled',
    })
  }
  const { unlimited, qpu_ms: balanceMs, pending, used } = submitter
  if (!unlimited && balanceMs <= 0) {
    return new AppError('forbidden', 'Insufficient QPU seconds balance', {
      reason: 'insufficient_qpu_seconds',
    })
  }
  if (pending >= maxPending) {
    return new AppError(
      'conflict',
      `You have ${pending} pending jobs, the maximum; wait for some to run or cancel some`,
      { reason: 'too_many_pending_jobs' },
    )
  }
  return refusalToStore(submitter, { used, bytes, maxUserBytes })
}

/**
 * Reads an index of pending jobs only, which a test asserts. Without the hint, SQLite would read all of the
 * user's jobs.
 */
export const countPendingSql = ofDialect(
  (dialect) => `SELECT count(*) AS pending
  FROM ${pendingByUser(dialect)}
  WHERE status = 'pending' AND user_id = $user`,
)

/** The bytes that a new job counts. */
export function bytesOfJob(payload: JsonText, labels: string): number {
  return RECORD_BYTES + payload.byteLength + Buffer.byteLength(labels)
}

/** Number of pending jobs of a user, held or not. */
export function pendingJobsOf(user: string): Query<number> {
  return mapped(firstOf<{ pending: number }>(countPendingSql, { user }), (found) => found?.pending ?? 0)
}
