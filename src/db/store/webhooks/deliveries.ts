/**
 * The outbox of webhooks.
 *
 * | from → to | function |
 * |---|---|
 * | – → pending | `queueDelivery` (journal/webhook-events.ts) |
 * | pending → delivered | `recordAttempt`, for a response with a status of 200 to 299 |
 * | pending → pending, after a pause | `recordAttempt` |
 * | pending → failed | `recordAttempt` after a week, `failPending` when the webhook is disabled |
 *
 * An attempt leaves no trace before its end, so that an attempt which a crash interrupts is made again.
 */
import { fromTimestamp, toTimestamp } from '../../../base/index.ts'
import { notifications } from '../../collections/notifications.ts'
import { webhooks } from '../../collections/webhooks.ts'
import type { SqlWriter } from '../../engine/sql.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { afterFailure, SLOW_MS } from './schedule.ts'

/** Deliveries that ended and are kept for the list of recent ones, per webhook. */
const MAX_ENDED_DELIVERIES = 100

/** A webhook with deliveries that are due. */
export interface DueWebhook {
  id: string
  user: string
  url: string
  secret: string
  /** '' = none, or no longer valid. */
  previousSecret: string
  /** 1 = nothing is sent for the account. */
  isOwnerDisabled: 0 | 1
}

/** A delivery to attempt. */
export interface DueDelivery {
  id: string
  body: string
}

/** The end of an attempt. */
export interface Attempt {
  /** HTTP status; 0 without a response. */
  status: number
  /** Why it failed; '' for a success. */
  error: string
  /** Until the response, or until the failure. */
  durationMs: number
  /** The beginning of the response body, as text. */
  response: string
}

/**
 * At most `limit` webhooks with deliveries that are due, the longest waiting first: those whose last attempt
 * failed or was slow (`strained`), or the others.
 */
export function listDueWebhooks(tx: ReadTx, strained: boolean, limit: number): DueWebhook[] {
  return tx.all<DueWebhook>(
    `SELECT webhooks.id, "user", url, secret, users.disabled AS "isOwnerDisabled",
       CASE WHEN previous_until > $at THEN previous_secret ELSE '' END AS "previousSecret"
     FROM webhooks JOIN users ON users.id = webhooks.user
     WHERE next_at > 0 AND strained = $strained AND next_at <= $now ORDER BY next_at, webhooks.seq LIMIT $limit`,
    { strained: strained ? 1 : 0, now: tx.now, at: tx.at, limit },
  )
}

/** At most `limit` deliveries of a webhook that are due, the longest waiting first. */
export function listDueDeliveries(tx: ReadTx, webhook: string, limit: number): DueDelivery[] {
  return tx.all<DueDelivery>(
    `SELECT id, body FROM webhook_deliveries
     WHERE webhook = $webhook AND state = 'pending' AND next_at <= $now ORDER BY next_at, seq LIMIT $limit`,
    { webhook, now: tx.now, limit },
  )
}

/** Corrects a webhook that is selected although nothing may be sent, so that it is not selected again. */
export function settleWebhook(tx: Tx, { id, isOwnerDisabled }: DueWebhook): void {
  if (isOwnerDisabled === 1) failPending(tx, id, 'the account is disabled')
  else reschedule(tx, id, 0)
}

/**
 * Records the end of an attempt at `url`. Returns the new state of the delivery, or undefined when it ended
 * or was removed meanwhile. A failure at an address that was replaced says nothing about the new one.
 */
export function recordAttempt(
  tx: Tx,
  { webhook: id, delivery, url }: { webhook: string; delivery: string; url: string },
  attempt: Attempt,
): 'delivered' | 'pending' | 'failed' | undefined {
  const row = tx.one<{ attempts: number; at: string }>(
    "SELECT attempts, at FROM webhook_deliveries WHERE id = $delivery AND state = 'pending'",
    { delivery },
  )
  const webhook = tx.find(webhooks, id)
  if (!row || !webhook) return undefined
  if (attempt.error === '') {
    end(tx, delivery, { ...attempt, state: 'delivered', nextAt: 0 })
    update(tx, id, { failures: 0, since: '', strained: attempt.durationMs > SLOW_MS })
    reschedule(tx, id, 0)
    trim(tx, id)
    return 'delivered'
  }
  if (webhook.url !== url) return 'pending'
  const since = webhook.failing_since === '' ? tx.at : webhook.failing_since
  const failures = webhook.failures + 1
  const next = afterFailure({
    status: attempt.status,
    attempts: row.attempts + 1,
    failures,
    ageMs: tx.now - (fromTimestamp(row.at) ?? tx.now),
    failingMs: tx.now - (fromTimestamp(since) ?? tx.now),
  })
  update(tx, id, { failures, since, strained: true })
  if (next.kind === 'retry') {
    end(tx, delivery, { ...attempt, state: 'pending', nextAt: tx.now + next.retryMs })
    reschedule(tx, id, next.pauseMs)
    return 'pending'
  }
  end(tx, delivery, { ...attempt, state: 'failed', nextAt: 0 })
  if (next.kind === 'disable') {
    const advice = `Last error: ${attempt.error}. Correct the receiver, then`
    disable(tx, { ...webhook, reason: next.reason, advice })
  } else reschedule(tx, id, next.pauseMs)
  trim(tx, id)
  return 'failed'
}

/**
 * Ends all pending deliveries of a webhook but those of the kinds `kept`; the newest of them stay in the list
 * of recent ones.
 */
export function failPending(tx: Tx, webhook: string, error: string, kept: readonly string[] = []): void {
  tx.run(
    `UPDATE webhook_deliveries SET state = 'failed', next_at = 0,
       error = CASE error WHEN '' THEN $error ELSE error END
     WHERE webhook = $webhook AND state = 'pending' AND kind NOT IN ${tx.dialect.jsonTexts('$kept')}`,
    { webhook, error, kept: JSON.stringify(kept) },
  )
  // Those that are kept wait for the pause of their receiver.
  if (kept.length === 0) tx.run('UPDATE webhooks SET next_at = 0 WHERE id = $webhook', { webhook })
  trim(tx, webhook)
}

/** Makes all pending deliveries of a webhook due now, after its owner has changed it. */
export function retryPending(tx: SqlWriter, webhook: string): void {
  tx.run("UPDATE webhook_deliveries SET next_at = $now WHERE webhook = $webhook AND state = 'pending'", {
    webhook,
    now: tx.now,
  })
  reschedule(tx, webhook, 0)
}

/** A delivery as its owner sees it. */
export interface ListedDelivery extends Attempt {
  id: string
  kind: string
  state: 'pending' | 'delivered' | 'failed'
  /** When the event happened. */
  at: string
  attempts: number
  /** '' before the first attempt. */
  attemptedAt: string
  /** Earliest next attempt; '' without one. */
  nextAt: string
}

/** The newest deliveries of a webhook, newest first. */
export function listDeliveries(tx: ReadTx, webhook: string, limit: number): ListedDelivery[] {
  const rows = tx.all<Omit<ListedDelivery, 'nextAt'> & { next: number }>(
    `SELECT id, kind, state, at, attempts, attempted_at AS "attemptedAt", next_at AS next, status, error,
       duration_ms AS "durationMs", response
     FROM webhook_deliveries WHERE webhook = $webhook ORDER BY seq DESC LIMIT $limit`,
    { webhook, limit },
  )
  return rows.map(({ next, ...row }) => ({ ...row, nextAt: next === 0 ? '' : toTimestamp(next) }))
}

function end(
  tx: SqlWriter,
  id: string,
  { nextAt, ...attempt }: Attempt & { state: ListedDelivery['state']; nextAt: number },
): void {
  tx.run(
    `UPDATE webhook_deliveries SET state = $state, attempts = attempts + 1, attempted_at = $at,
       next_at = $nextAt, status = $status, error = $error, duration_ms = $durationMs, response = $response
     WHERE id = $id`,
    { id, nextAt, at: tx.at, ...attempt, durationMs: Math.round(attempt.durationMs) },
  )
}

function update(
  tx: SqlWriter,
  id: string,
  { failures, since, strained }: { failures: number; since: string; strained: boolean },
): void {
  tx.run(
    'UPDATE webhooks SET failures = $failures, failing_since = $since, strained = $strained WHERE id = $id',
    { id, failures, since, strained: strained ? 1 : 0 },
  )
}

/** Sets the time of the next attempt: when the first delivery is due, but not within the pause. */
function reschedule(tx: SqlWriter, webhook: string, pauseMs: number): void {
  tx.run(
    `UPDATE webhooks SET next_at = coalesce((SELECT ${tx.dialect.greatest('min(next_at)', '$earliest')} FROM webhook_deliveries
       WHERE webhook = $webhook AND state = 'pending'), 0) WHERE id = $webhook`,
    { webhook, earliest: pauseMs === 0 ? 0 : tx.now + pauseMs },
  )
}

interface DisabledWebhook {
  id: string
  user: string
  url: string
  reason: string
  /** What to look at before it is enabled again. */
  advice: string
}

/** Disables the webhooks of an account whose access ends. Returns how many were enabled. */
export function disableWebhooks(tx: Tx, user: string): number {
  const enabled = tx.list(webhooks, { where: { user, enabled: true } })
  const reason = 'what its account had given out was ended'
  const advice = 'If its address is yours,'
  for (const webhook of enabled) disable(tx, { ...webhook, reason, advice })
  return enabled.length
}

/** Disables a webhook and notifies its owner. */
function disable(tx: Tx, { id, user, url, reason, advice }: DisabledWebhook): void {
  tx.update(webhooks, id, { enabled: false, disabled_reason: reason })
  failPending(tx, id, 'the webhook was disabled')
  tx.insert(notifications, {
    title: 'A webhook was disabled',
    description:
      `The webhook to ${new URL(url).host} was disabled because ${reason}. ` +
      `${advice} enable the webhook ${id} again.`,
    target_users: [user],
  })
}

/** Removes the oldest deliveries that ended, beyond the newest `MAX_ENDED_DELIVERIES`. */
function trim(tx: SqlWriter, webhook: string): void {
  tx.run(
    `DELETE FROM webhook_deliveries WHERE webhook = $webhook AND state <> 'pending' AND seq <=
       (SELECT seq FROM webhook_deliveries WHERE webhook = $webhook AND state <> 'pending'
        ORDER BY seq DESC LIMIT 1 OFFSET $kept)`,
    { webhook, kept: MAX_ENDED_DELIVERIES },
  )
}
