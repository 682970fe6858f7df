import { MINUTE_MS } from '../../base/index.ts'
import type { SqlReader, SqlWriter } from '../engine/sql.ts'
import { readServiceValue, storeServiceValue } from './service-values.ts'

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

/** What passed its limit, or is within it again. */
interface Alert {
  /** Which limit: the metric of a figure, or the id of a threshold. */
  of: string
  isBreach: boolean
  text: string
}

/**
 * Adds to the next digest of each superuser who wants it. A breach does not wait for that, unless the same
 * limit was breached in the last 10 minutes: a value that comes and goes cannot fill the mailbox.
 */
export function queueAlertMails(tx: SqlReader & SqlWriter, { of, isBreach, text }: Alert): void {
  const receivers = tx.all<{ id: string }>('SELECT id FROM superusers WHERE mail_alerts = 1')
  for (const { id } of receivers) queueMailItem(tx, id, { kind: 'limit_passed', detail: { text } })
  if (receivers.length === 0 || !isBreach || !beginsWindow(tx, of)) return
  // Those that the mail server did not accept keep their pause.
  const sql = `UPDATE mail_digests SET next_at = $now
    WHERE failures = 0 AND next_at > $now AND "user" IN (SELECT id FROM superusers WHERE mail_alerts = 1)`
  tx.run(sql, { now: tx.now })
}

const WINDOWS = 'mail_alert_windows'
/** Time between two mails about the same limit, ms. */
export const ALERT_INTERVAL_MS = 10 * MINUTE_MS

/** Whether the window of a limit is over, or was never begun; then it begins. Stores those that last. */
function beginsWindow(tx: SqlReader & SqlWriter, of: string): boolean {
  const begun: Record<string, number> = JSON.parse(readServiceValue(tx, WINDOWS) ?? '{}')
  const lasting = Object.entries(begun).filter(([, at]) => at <= tx.now && tx.now - at < ALERT_INTERVAL_MS)
  if (lasting.some(([limit]) => limit === of)) return false
  storeServiceValue(tx, WINDOWS, JSON.stringify({ ...Object.fromEntries(lasting), [of]: tx.now }))
  return true
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
