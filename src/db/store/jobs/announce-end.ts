import { fromTimestamp } from '../../../base/index.ts'
import { firstOf, mapped, type Query } from '../../engine/query.ts'
import type { SqlWriter } from '../../engine/sql.ts'
import { queueMailItem } from '../../journal/mail-items.ts'
import { queueWebhookEvent } from '../../journal/webhook-events.ts'

/** The columns of a job that its webhooks receive. */
interface EndedJob {
  id: string
  name: string
  /** JSON. */
  tags: string | null
  status: string
  error_code: string
  qpu_target: string
  /** The QPU that ran it; '' = none did. */
  qpu: string
  attempt: number
  created: string
  started_at: string
  finished_at: string
  duration: number
}

/** What the end of a job needs to know of its owner. */
export interface Owner {
  id: string
  unlimited: 0 | 1
  /** Mail after so many seconds; 0 = never. */
  mail_job_after: number
  has_webhooks: 0 | 1
}

/** The owner of a job; undefined for a removed user. */
export function ownerOfJob(job: string): Query<Owner | undefined> {
  return firstOf<Owner>(
    `SELECT id, unlimited, mail_job_after,
       EXISTS (SELECT 1 FROM webhooks WHERE webhooks.user = users.id) AS has_webhooks
     FROM users WHERE id = (SELECT user_id FROM quantum_jobs WHERE id = $job)`,
    { job },
  )
}

/** Announces the end of a job to its owner. */
export function announceJobEnd(tx: SqlWriter, job: string): void {
  const { owner, ended } = tx.read({
    owner: ownerOfJob(job),
    ended: firstOf<{ status: string; created: string }>(
      'SELECT status, created FROM quantum_jobs WHERE id = $job',
      { job },
    ),
  })
  if (ended) announceEnd(tx, { job, ...ended }, owner)
}

/**
 * Queues the webhook deliveries and the mail for the end of a job, in the transaction that ends it. Nothing
 * is read for an owner who has subscribed to neither.
 */
export function announceEnd(
  tx: SqlWriter,
  { job, status, created }: { job: string; status: string; created: string },
  owner: Owner | undefined,
): void {
  if (!owner) return
  if (owner.has_webhooks === 1)
    queueWebhookEvent(tx, { kind: 'job.ended', user: owner.id, data: tx.read(endedJob(job)) })
  const seconds = (tx.now - (fromTimestamp(created) ?? tx.now)) / 1_000
  if (owner.mail_job_after === 0 || seconds < owner.mail_job_after) return
  queueMailItem(tx, owner.id, { kind: 'job_ended', detail: { job, status, seconds } })
}

/** A job as its webhooks receive it. */
function endedJob(job: string): Query<Record<string, unknown>> {
  const row = firstOf<EndedJob>(
    `SELECT id, name, tags, status, error_code, qpu_target, qpu, attempt, created, started_at, finished_at, duration
     FROM quantum_jobs WHERE id = $job`,
    { job },
  )
  return mapped(row, (found) => ({ ...found, tags: JSON.parse(found?.tags ?? '[]') }))
}
