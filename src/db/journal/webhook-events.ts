import { newId } from '../../base/index.ts'
import type { SqlReader, SqlWriter } from '../engine/sql.ts'
import { WEBHOOK_KINDS, type WebhookKindName } from './webhook-kinds.ts'

/** Something that happened, for the webhooks that receive its kind. */
interface WebhookEvent {
  kind: WebhookKindName
  /** The user it belongs to; not needed for kinds that operators receive. */
  user?: string
  data: Record<string, unknown>
}

/** Pending deliveries of one webhook; further events are counted in `dropped` and not queued. */
const MAX_PENDING_DELIVERIES = 1_000
/** Size of the body of a delivery. Larger data is left out; the body then says `truncated`. */
const MAX_DELIVERY_BYTES = 16_384

/** Due before every delivery that waits for its time, ms since the epoch. */
const FIRST_OF_ALL = 1

/**
 * Queues a delivery for each webhook that receives the event, in the transaction of the event itself: an
 * event that is committed is delivered, and one that is not committed is not.
 */
export function queueWebhookEvent(tx: SqlWriter, event: WebhookEvent): void {
  const receivers = listReceivers(tx, event)
  if (receivers.length === 0) return
  const body = bodyOf(event.kind, event.data, tx.at)
  for (const webhook of receivers) queueDelivery(tx, { webhook, kind: event.kind, body })
}

/** The body of a delivery as the Standard Webhooks specification proposes it. `at` is a stored time. */
export function bodyOf(type: string, data: Record<string, unknown>, at: string): string {
  const timestamp = at.replace(' ', 'T')
  const body = JSON.stringify({ type, timestamp, data })
  if (Buffer.byteLength(body) <= MAX_DELIVERY_BYTES) return body
  return JSON.stringify({ type, timestamp, data: { id: data['id'], truncated: true } })
}

/**
 * Queues one delivery, due immediately; returns its id, or undefined when too many are pending. An urgent one
 * goes first and does not wait for the pause of a receiver that fails.
 */
export function queueDelivery(
  tx: SqlWriter,
  { isUrgent = false, ...delivery }: { webhook: string; kind: string; body: string; isUrgent?: boolean },
): string | undefined {
  const { webhook } = delivery
  if (countPending(tx, webhook) >= MAX_PENDING_DELIVERIES) {
    tx.post('UPDATE webhooks SET dropped = dropped + 1 WHERE id = $webhook', { webhook })
    return undefined
  }
  const id = newId(tx.now)
  tx.post(
    `INSERT INTO webhook_deliveries (id, webhook, kind, body, at, next_at)
     VALUES ($id, $webhook, $kind, $body, $at, $dueAt)`,
    { id, ...delivery, at: tx.at, dueAt: isUrgent ? FIRST_OF_ALL : tx.now },
  )
  tx.post(
    `UPDATE webhooks SET next_at = $now
     WHERE id = $webhook AND (next_at = 0 OR next_at > $now AND (failures = 0 OR $isUrgent = 1))`,
    { webhook, now: tx.now, isUrgent: isUrgent ? 1 : 0 },
  )
  return id
}

function listReceivers(tx: SqlReader, { kind, user = '' }: WebhookEvent): string[] {
  const mine = WEBHOOK_KINDS[kind].audience === 'owner' ? 'webhooks.user = $user' : 'for_operators = 1'
  const webhooks = tx.all<{ id: string; kinds: string }>(
    `SELECT webhooks.id, webhooks.kinds FROM webhooks JOIN users ON users.id = webhooks.user
     WHERE ${mine} AND webhooks.enabled = 1 AND users.disabled = 0`,
    mine.includes('$user') ? { user } : {},
  )
  return webhooks.filter(({ kinds }) => JSON.parse(kinds).includes(kind)).map(({ id }) => id)
}

function countPending(tx: SqlReader, webhook: string): number {
  const row = tx.one<{ pending: number }>(
    `SELECT count(*) AS pending FROM
       (SELECT 1 FROM webhook_deliveries WHERE webhook = $webhook AND state = 'pending' LIMIT $most) waiting`,
    { webhook, most: MAX_PENDING_DELIVERIES },
  )
  return row?.pending ?? 0
}
