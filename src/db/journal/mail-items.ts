import type { SqlReader, SqlWriter } from '../engine/sql.ts'

/** What users and superusers may be mailed; the sentences are in `src/server/mail/digest-sender.ts`. */
export type MailItem =
  | { kind: 'job_ended'; detail: { job: string; status: string; seconds: number } }
  | { kind: 'slot_started'; detail: { qpu: string; start: string; end: string } }
  | {
      kind: 'time_request_decided'
      detail: { status: string; seconds: number; reason: string }
    }
  | { kind: 'limit_passed'; detail: { text: string } }

/** Items of one user or superuser that wait for the next digest; further ones are only counted. */
const MAX_MAIL_ITEMS = 100

/** Adds to the next digest of each superuser who wants it: something passed its limit, or is within again. */
export function queueAlertMails(tx: SqlReader & SqlWriter, text: string): void {
  const receivers = tx.all<{ id: string }>('SELECT id FROM superusers WHERE mail_alerts = 1')
  for (const { id } of receivers) queueMailItem(tx, id, { kind: 'limit_passed', detail: { text } })
}

/** Adds an item to the next digest of a user or superuser, in the transaction of what it reports. */
export function queueMailItem(tx: SqlWriter, user: string, { kind, detail }: MailItem): void {
  const row = tx.one<{ waiting: number }>('SELECT count(*) AS waiting FROM mail_items WHERE "user" = $user', {
    user,
  })
  const isFull = (row?.waiting ?? 0) >= MAX_MAIL_ITEMS
  tx.post(
    `INSERT INTO mail_digests ("user", next_at, dropped) VALUES ($user, $now, $dropped)
     ON CONFLICT ("user") DO UPDATE SET dropped = mail_digests.dropped + $dropped`,
    { user, now: tx.now, dropped: isFull ? 1 : 0 },
  )
  if (isFull) return
  tx.post('INSERT INTO mail_items ("user", kind, detail, at) VALUES ($user, $kind, $detail, $at)', {
    user,
    kind,
    detail: JSON.stringify(detail),
    at: tx.at,
  })
}
