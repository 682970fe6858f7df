/**
 * Mails to users, at most one per user and minute, and to superusers, at most one in 10 minutes but for a
 * breach of another limit.
 * `claimDigest` fixes the items of a mail before it is sent, so that a mail which a crash interrupts is sent
 * again with the same items and the same `Message-ID`.
 */
import { DAY_MS, MINUTE_MS, toTimestamp } from '../../../base/index.ts'
import { superusers } from '../../collections/superusers.ts'
import { users } from '../../collections/users.ts'
import type { SqlWriter } from '../../engine/sql.ts'
import { ALERT_INTERVAL_MS, type MailItem, queueMailItem } from '../../journal/mail-items.ts'
import { readServiceValue, storeServiceValue } from '../../journal/service-values.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'

/** Minimum time between two mails to a user. */
const DIGEST_INTERVAL_MS = MINUTE_MS
/** Items that no mail server has accepted for so long are removed. */
const MAX_ITEM_AGE_MS = DAY_MS

/** A mail to send. */
export interface Digest {
  /** Id of a user or superuser. */
  user: string
  email: string
  /** Number of the last item, unique among all digests. */
  upto: number
  items: (MailItem & { at: string })[]
  /** Further events that were not stored. */
  dropped: number
  /** Attempts to send it that failed. */
  failures: number
}

/** Users whose digest may be sent now, the longest waiting first. */
export function listDueDigests(tx: ReadTx, limit: number): string[] {
  const rows = tx.all<{ user: string }>(
    'SELECT "user" FROM mail_digests WHERE next_at <= $now ORDER BY next_at LIMIT $limit',
    { now: tx.now, limit },
  )
  return rows.map(({ user }) => user)
}

/**
 * The next digest of a user or superuser; undefined when there is nothing to send. Users without a verified
 * address, and disabled ones, are sent nothing.
 */
export function claimDigest(tx: Tx, user: string): Digest | undefined {
  const row = tx.one<{ upto: number; failures: number; dropped: number }>(
    'SELECT upto, failures, dropped FROM mail_digests WHERE "user" = $user',
    { user },
  )
  if (!row) return undefined
  tx.run('DELETE FROM mail_items WHERE "user" = $user AND at < $before', {
    user,
    before: toTimestamp(tx.now - MAX_ITEM_AGE_MS),
  })
  const queued = tx.all<QueuedItem>(
    'SELECT seq, kind, detail, at FROM mail_items WHERE "user" = $user AND ($upto = 0 OR seq <= $upto) ORDER BY seq',
    { user, upto: row.upto },
  )
  const receiver = receiverOf(tx, user)
  const last = queued.at(-1)
  const items = receiver ? queued.map(decode).filter(receiver.wants) : []
  if (!last || !receiver || items.length === 0) {
    discard(tx, user, last?.seq)
    return undefined
  }
  tx.run('UPDATE mail_digests SET upto = $upto, next_at = $next WHERE "user" = $user', {
    user,
    upto: last.seq,
    next: tx.now + receiver.intervalMs,
  })
  return {
    user,
    email: receiver.email,
    upto: last.seq,
    items,
    dropped: row.dropped,
    failures: row.failures,
  }
}

interface QueuedItem {
  seq: number
  kind: MailItem['kind']
  detail: string
  at: string
}

interface Receiver {
  email: string
  /** Minimum time between two mails. */
  intervalMs: number
  /** Whether the receiver wants an item now, which may have changed since it was queued. */
  wants: (item: MailItem) => boolean
}

/** Who is mailed; undefined if nothing may be sent. */
function receiverOf(tx: ReadTx, id: string): Receiver | undefined {
  // Superusers set their addresses themselves, or have them set by one.
  const superuser = tx.find(superusers, id)
  if (superuser) {
    const { email, mail_alerts } = superuser
    return {
      email,
      intervalMs: ALERT_INTERVAL_MS,
      wants: ({ kind }) => kind === 'limit_passed' && mail_alerts,
    }
  }
  const user = tx.find(users, id)
  if (!user?.verified || user.disabled || user.email === '') return undefined
  const { mail_job_after, mail_slot_start, mail_time_request } = user
  const wants = ({ kind, detail }: MailItem) => {
    if (kind === 'job_ended') return mail_job_after > 0 && detail.seconds >= mail_job_after
    return kind === 'slot_started' ? mail_slot_start : kind === 'time_request_decided' && mail_time_request
  }
  return { email: user.email, intervalMs: DIGEST_INTERVAL_MS, wants }
}

/** Removes what a sent digest contained; later items wait until its minute is over. */
export function finishDigest(tx: SqlWriter, { user, upto, dropped }: Digest): void {
  tx.run('DELETE FROM mail_items WHERE "user" = $user AND seq <= $upto', { user, upto })
  tx.run(
    'UPDATE mail_digests SET upto = 0, failures = 0, dropped = dropped - $dropped WHERE "user" = $user',
    {
      user,
      dropped,
    },
  )
}

/** Has a digest that was not sent wait for `pauseMs` before it is sent again. */
export function postponeDigest(tx: SqlWriter, { user }: Digest, pauseMs: number): void {
  tx.run('UPDATE mail_digests SET failures = failures + 1, next_at = $next WHERE "user" = $user', {
    user,
    next: tx.now + Math.max(pauseMs, DIGEST_INTERVAL_MS),
  })
}

/** Whether `discardAllDigests` would remove anything. */
export function hasDigests(tx: ReadTx): boolean {
  const sql = 'SELECT 1 WHERE EXISTS (SELECT 1 FROM mail_items) OR EXISTS (SELECT 1 FROM mail_digests)'
  return tx.one(sql) !== undefined
}

/** Removes all items: without a mail server nobody is mailed. */
export function discardAllDigests(tx: SqlWriter): void {
  tx.run('DELETE FROM mail_items')
  tx.run('DELETE FROM mail_digests')
}

/** When slots were announced, oldest first, as a JSON list; older versions store the last time only. */
const SLOTS_SEEN = 'mail_slots_seen'
/** Such times that were later than now when the clock was set back. */
const SLOTS_AHEAD = 'mail_slots_ahead'
/** Most times that either of both holds. */
const MAX_TIMES = 100

/**
 * Whether a slot has begun since the last call of `announceSlotStarts`, or that was never called: only then
 * has its time to be stored, and an idle server writes nothing.
 */
export function hasSlotStarts(tx: ReadTx): boolean {
  const seen = timesOf(tx, SLOTS_SEEN).at(-1)
  if (seen === undefined || seen > toTimestamp(tx.now)) return true
  const sql = 'SELECT 1 FROM time_slots WHERE start_time > $seen AND start_time <= $at LIMIT 1'
  return tx.one(sql, { seen, at: toTimestamp(tx.now) }) !== undefined
}

function timesOf(tx: ReadTx, key: string): string[] {
  const stored = readServiceValue(tx, key)
  if (stored === undefined) return []
  return stored.startsWith('[') ? JSON.parse(stored) : [stored]
}

function storeTimes(tx: Tx, key: string, times: readonly string[]): void {
  storeServiceValue(tx, key, JSON.stringify(times.slice(-MAX_TIMES)))
}

/**
 * Queues a mail for each booker whose slot began since the last call, if they want it. The time of the last
 * call is stored, so that a slot that begins while the server is stopped is reported unless it has ended.
 * After the clock was set back, those are not reported again that were while it was ahead.
 */
export function announceSlotStarts(tx: Tx): number {
  const times = timesOf(tx, SLOTS_SEEN)
  const seen = times.filter((time) => time <= tx.at)
  const isBack = seen.length < times.length
  const ahead = [...timesOf(tx, SLOTS_AHEAD), ...times.slice(seen.length)]
  if (isBack) storeTimes(tx, SLOTS_AHEAD, ahead)
  storeTimes(tx, SLOTS_SEEN, [...seen, tx.at])
  const begun = tx.all<{ user: string; start: string; end: string; qpu: string | null }>(
    `SELECT slot.booked_by AS "user", slot.start_time AS start, slot.end_time AS "end", qpus.name AS qpu
     FROM time_slots slot JOIN users ON users.id = slot.booked_by LEFT JOIN qpus ON qpus.id = slot.qpu
     WHERE slot.start_time > $seen AND slot.start_time <= $at AND slot.end_time > $at
       AND slot.created < slot.start_time AND users.mail_slot_start = 1`,
    { seen: seen.at(-1) ?? tx.at, at: tx.at },
  )
  const slots = begun.filter(({ start, end }) => !ahead.some((time) => start <= time && time < end))
  for (const { user, start, end, qpu } of slots)
    queueMailItem(tx, user, { kind: 'slot_started', detail: { qpu: qpu ?? '', start, end } })
  return slots.length
}

/** Queues a mail about a decided request for QPU time, if its user wants it. */
export function announceTimeRequest(
  tx: Tx,
  request: {
    user: string
    status: string
    seconds: number
    granted_seconds: number
    rejection_reason: string
  },
): void {
  if (!tx.find(users, request.user)?.mail_time_request) return
  const { status, seconds, granted_seconds, rejection_reason } = request
  const isChanged = status === 'approved' && granted_seconds !== seconds
  const reason = isChanged ? `${granted_seconds} s were granted` : rejection_reason
  queueMailItem(tx, request.user, { kind: 'time_request_decided', detail: { status, seconds, reason } })
}

function decode({
  kind,
  detail,
  at,
}: {
  kind: string
  detail: string
  at: string
}): MailItem & { at: string } {
  // Written by `queueMailItem` only.
  return { kind, detail: JSON.parse(detail), at } as MailItem & { at: string }
}

/** Removes items that cannot be sent, and the row of a user without items once its minute is over. */
function discard(tx: SqlWriter, user: string, upto: number | undefined): void {
  if (upto !== undefined)
    tx.run('DELETE FROM mail_items WHERE "user" = $user AND seq <= $upto', { user, upto })
  tx.run('UPDATE mail_digests SET upto = 0 WHERE "user" = $user', { user })
  tx.run(
    `DELETE FROM mail_digests WHERE "user" = $user AND NOT EXISTS (SELECT 1 FROM mail_items WHERE "user" = $user)`,
    { user },
  )
}
