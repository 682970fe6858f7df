import { fromTimestamp } from '../../../base/index.ts'
import { queueMailItem } from '../../journal/mail-items.ts'
import { queueWebhookEvent } from '../../journal/webhook-events.ts'
import type { SqlReader, SqlWriter } from '../../sqlite/sql.ts'

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

/** Queues the webhook deliveries and the mail for the end of a job, in the transaction that ends it. */
export function announceJobEnd(tx: SqlWriter, job: string): void {
  const about = tx.one<{ user: string; status: string; created: string; mail_job_after: number }>(
    `SELECT users.id AS user, job.status, job.created, users.mail_job_after
     FROM quantum_jobs job JOIN users ON users.id = job.user_id WHERE job.id = $job`,
    { job },
  )
  if (!about) return
  queueWebhookEvent(tx, { kind: 'job.ended', user: about.user, data: () => dataOf(tx, job) })
  const seconds = (tx.now - (fromTimestamp(about.created) ?? tx.now)) / 1_000
  if (about.mail_job_after === 0 || seconds < about.mail_job_after) return
  queueMailItem(tx, about.user, { kind: 'job_ended', detail: { job, status: about.status, seconds } })
}

function dataOf(tx: SqlReader, job: string): Record<string, unknown> {
  const row = tx.one<EndedJob>(
    `SELECT id, name, tags, status, error_code, qpu_target, qpu, attempt, created, started_at, finished_at, duration
     FROM quantum_jobs WHERE id = $job`,
    { job },
  )
  return { ...row, tags: JSON.parse(row?.tags ?? '[]') }
}
