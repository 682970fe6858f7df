import { feature } from 'bun:bundle'
import { failpoint, fromTimestamp, toTimestamp } from '../../../base/index.ts'
import { sessions } from '../../collections/sessions/sessions.ts'
import { firstOf, mapped, type Query } from '../../engine/query.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { chargeSession } from '../accounts/ledger.ts'
import { endWaits, renewWaits } from './holders-end.ts'
import { openSession, rowOf } from './known-sessions.ts'
import { type Advanced, close, type SessionCharge, type SessionEnd } from './machine.ts'

/** Stores what has changed, and charges it. `rate`: ms of balance for each ms. */
export function storeAdvanced(
  tx: Tx,
  qpu: string,
  { changed, charges }: Pick<Advanced, 'changed' | 'charges'>,
  rate: number,
): void {
  // The one that stops goes first: at most one is active.
  const order = changed.toSorted(
    (one, other) => Number(one.state === 'active') - Number(other.state === 'active'),
  )
  for (const session of order) {
    const own = charges.filter((charge) => charge.session === session.id)
    const heldMs = own.reduce((sum, { from, to }) => sum + to - from, 0)
    const before = heldMs > 0 ? (tx.find(sessions, session.id)?.held_ms ?? 0) : undefined
    tx.update(sessions, session.id, {
      ...rowOf(session),
      ...(before === undefined ? {} : { held_ms: before + heldMs }),
    })
    const { state, activatedAt, activeSince } = session
    if (state === 'active' && activatedAt === activeSince) endWaits(tx, session.id)
  }
  for (const charge of charges) chargeHold(tx, qpu, charge, rate)
  if (feature('FAILPOINTS') && charges.length > 0) failpoint('session.charge-stored')
}

function chargeHold(
  tx: Tx,
  qpu: string,
  { session, user, number, from, to }: SessionCharge,
  rate: number,
): void {
  const ms = to - from
  const owner = tx.one<{ unlimited: number }>('SELECT unlimited FROM users WHERE id = $user', { user })
  const costMs = owner?.unlimited === 0 ? Math.round(ms * rate) : 0
  chargeSession(tx, { session, number, user, qpu, ms, costMs, at: toTimestamp(to) })
}

/** How long the balance of a user lasts at a rate, in ms; Infinity for unlimited users. */
export function fundedMsOf(user: string, rate: number): Query<number> {
  const owner = firstOf<{ unlimited: number; ms: number }>(
    'SELECT unlimited, qpu_ms AS ms FROM users WHERE id = $user',
    { user },
  )
  return mapped(owner, (found) => {
    if (!found || (found.unlimited === 0 && found.ms <= 0)) return 0
    return found.unlimited === 1 || rate === 0 ? Number.POSITIVE_INFINITY : Math.floor(found.ms / rate)
  })
}

/** When the next booking of another user on a QPU begins; Infinity without one. */
export function nextBookingOfOthers(qpu: string, user: string): Query<number> {
  const next = firstOf<{ start: string | null }>(
    `SELECT min(start_time) AS start FROM time_slots
     WHERE qpu IN ('', $qpu) AND booked_by <> $user AND start_time > $at`,
    { qpu, user },
  )
  return mapped(next, (found) => fromTimestamp(found?.start ?? '') ?? Number.POSITIVE_INFINITY)
}

/** Ends a session now; false when it is closed already. */
export function closeSession(
  tx: Tx,
  id: string,
  { end, reason = '', rate }: { end: SessionEnd; reason?: string; rate: number },
): boolean {
  const row = tx.find(sessions, id)
  if (!row || row.state === 'closed') return false
  const charges: SessionCharge[] = []
  const at = Math.max(tx.now, fromTimestamp(row.charged_to) ?? tx.now)
  storeAdvanced(tx, row.qpu, { changed: [close(openSession(row), { at, end }, charges)], charges }, rate)
  if (reason !== '') tx.update(sessions, id, { end_reason: reason })
  return true
}

/** SQL: whether sessions of a user may pay for some of the time since then on a QPU. */
export function mayPaySql({ user, qpu, since }: Record<'user' | 'qpu' | 'since', string>): string {
  return `(EXISTS (SELECT 1 FROM qpu_ledger held
      WHERE held.kind = 'session' AND held."user" = ${user} AND held.qpu = ${qpu} AND held.at > ${since})
    OR EXISTS (SELECT 1 FROM sessions
      WHERE sessions."user" = ${user} AND sessions.qpu = ${qpu} AND state <> 'closed' AND charged_to <> ''))`
}

/**
 * How many ms of a run the sessions of its user on its QPU pay, whichever of them it started in, if in any:
 * what is in the ledger, and of the active one what is charged later. A user has one session of a QPU at a
 * time: only the first and the last stretch may be longer than the run.
 */
export function paidBySessions(
  tx: ReadTx,
  { user, qpu, from, to }: { user: string; qpu: string; from: number; to: number },
): number {
  const active = tx.read(
    firstOf<{ charged_to: string; ends_at: string; holders_end: string }>(
      `SELECT charged_to, ends_at, holders_end FROM sessions
       WHERE "user" = $user AND qpu = $qpu AND state <> 'closed' AND charged_to <> ''`,
      { user, qpu },
    ),
  )
  const later = active ? uncharged(active, { from, to }) : 0
  // Mostly all of it.
  if (later === to - from) return later
  const stretches = `FROM qpu_ledger WHERE kind = 'session' AND "user" = $user AND qpu = $qpu`
  const run = { user, qpu, from: toTimestamp(from), to: toTimestamp(to) }
  const { within, first, last } = tx.read({
    within: firstOf<{ ms: number }>(
      `SELECT coalesce(sum(used_ms), 0) AS ms ${stretches} AND at > $from AND at <= $to`,
      run,
    ),
    first: firstOf<Stretch>(`SELECT at, used_ms AS ms ${stretches} AND at > $from ORDER BY at LIMIT 1`, run),
    last: firstOf<Stretch>(`SELECT at, used_ms AS ms ${stretches} AND at > $to ORDER BY at LIMIT 1`, run),
  })
  const before = first ? Math.max(0, from - beginOf(first)) : 0
  const after = last ? Math.max(0, to - beginOf(last)) : 0
  const paid = (within?.ms ?? 0) + after - before + later
  return Math.min(to - from, Math.max(0, paid))
}

/** A time that was charged: its end, and how long it was. */
interface Stretch {
  at: string
  ms: number
}

const beginOf = ({ at, ms }: Stretch) => (fromTimestamp(at) ?? 0) - ms

/** How much of a run is charged with the next stretch of an active session. */
function uncharged(
  { charged_to, ends_at, holders_end }: Record<'charged_to' | 'ends_at' | 'holders_end', string>,
  { from, to }: { from: number; to: number },
): number {
  const ends = [ends_at, holders_end].map((end) => fromTimestamp(end) ?? to)
  return Math.max(0, Math.min(to, ...ends) - Math.max(from, fromTimestamp(charged_to) ?? to))
}

/** Goes on with the active sessions after a stop of the server, which is not charged. */
export function resumeSessions(tx: Tx): void {
  const rows = tx.all<{ id: string }>("SELECT id FROM sessions WHERE state = 'active' AND charged_to <> ''")
  for (const { id } of rows) tx.update(sessions, id, { charged_to: tx.at })
  renewWaits(tx)
}

/** An open session of another user that has begun and may last into a time, on a QPU or on any (''). */
export function sessionInTheWay(
  tx: ReadTx,
  { qpu, user, start, end }: { qpu: string; user: string; start: string; end: string },
): { ends_at: string } | undefined {
  return tx.one(
    `SELECT ends_at FROM sessions WHERE state IN ('active', 'paused') AND ($qpu = '' OR qpu = $qpu)
       AND "user" <> $user AND ends_at > $start AND activated_at < $end ORDER BY ends_at DESC LIMIT 1`,
    { qpu, user, start, end },
  )
}
