import { fromTimestamp } from '../../../../base/index.ts'
import { firstOf } from '../../../engine/query.ts'
import { closedBy } from '../../../hooks/qpu-change.ts'
import type { ReadTx, Tx } from '../../../records/tx.ts'
import {
  type Advanced,
  advance,
  gateOf,
  MAX_CHARGE_MS,
  type OpenSession,
  type SessionGate,
} from '../../sessions/machine.ts'
import { fundedMsOf, nextBookingOfOthers, storeAdvanced } from '../../sessions/settle.ts'
import type { Qpu } from './job-order.ts'
import { type OrderReading, QpuQueue } from './qpu-queue.ts'
import { lastActivity } from './queue.ts'

/**
 * Brings the sessions of a QPU up to date, before its next job is chosen: returns them as they are now.
 * Without open ones, which is the rule, it reads nothing.
 */
export function settleSessions(
  tx: Tx,
  reading: OrderReading,
  qpu: Qpu,
  rate: number,
): readonly OpenSession[] {
  const open = reading.order.sessions.of(tx, qpu.id)
  if (open.length === 0) return open
  const advanced = advanceSessions(reading, qpu, open, rate)
  if (advanced.changed.length > 0) storeAdvanced(tx, qpu.id, advanced, rate)
  return advanced.sessions
}

/** What the open sessions of a QPU become now; `rate`: ms of balance for each ms that one is held. */
export function advanceSessions(
  reading: OrderReading,
  qpu: Qpu,
  open: readonly OpenSession[],
  rate: number,
): Advanced {
  const { tx, facts } = reading
  const queue = new QpuQueue(reading, qpu)
  const slot = facts.slots.find((each) => each.qpu === '' || each.qpu === qpu.id)
  const isRunning = facts.running.some((row) => row.qpu === qpu.id)
  const users = open.map((session) => ({ session, hasJob: queue.firstOf(session.user) !== undefined }))
  const read = tx.read(
    Object.fromEntries(
      users.map(({ session, hasJob }) => [
        session.user,
        userReads(tx, session, { qpu: qpu.id, rate, isBusy: isRunning || hasJob }),
      ]),
    ),
  )
  return advance(open, {
    now: tx.now,
    closedBy: closedBy(qpu) ?? (facts.calibrating.has(qpu.id) ? 'calibrating' : undefined),
    isRunning,
    booking: slot && {
      user: slot.booked_by,
      start: fromTimestamp(slot.start_time) ?? tx.now,
      end: fromTimestamp(slot.end_time) ?? tx.now,
    },
    users: new Map(
      users.flatMap(({ session, hasJob }) => {
        const user = read[session.user]
        if (!user) return []
        const isUsedUp = session.chargedTo !== undefined && session.chargedTo + user.fundedMs <= tx.now
        const activeAt = isUsedUp ? tx.read(activityIn(tx, session, qpu.id)) : user.activeAt
        return [[session.user, { ...user, activeAt, hasJob }]]
      }),
    ),
  })
}

/**
 * What decides on a session of its user. Another booking matters before it begins, and when its user was
 * active if it may be idle: a loop of jobs reads neither.
 */
function userReads(
  tx: ReadTx,
  session: OpenSession,
  { qpu, rate, isBusy }: { qpu: string; rate: number; isBusy: boolean },
) {
  const { user, state, activatedAt } = session
  return {
    activeAt: state === 'active' && !isBusy ? activityIn(tx, session, qpu) : { known: undefined },
    fundedMs: fundedMsOf(user, rate),
    nextBookingOfOthers:
      activatedAt === undefined ? nextBookingOfOthers(qpu, user) : { known: Number.POSITIVE_INFINITY },
  }
}

/** When the user of a session was last active, as far as it matters for its pause and its charge. */
function activityIn({ now }: ReadTx, { user, idleMs, chargedTo = now }: OpenSession, qpu: string) {
  // However late the clock looks.
  return lastActivity(user, qpu, Math.min(chargedTo, now - MAX_CHARGE_MS) - idleMs)
}

/** The session that decides who may start on a QPU, with its user; times in ms since the epoch. */
export interface HoldingSession extends SessionGate {
  username: string
  email: string
  mode: OpenSession['mode']
  isPaused: boolean
  idleMs: number
  /** Since when its user has had no job; undefined while one waits or runs, or it is paused. */
  idleSince: number | undefined
}

/** The session whose jobs go first on a QPU now; reads nothing without one. */
export function holdingSession(reading: OrderReading, qpu: Qpu): HoldingSession | undefined {
  const { tx, facts } = reading
  const open = reading.order.sessions.of(tx, qpu.id)
  const gate = gateOf(open, tx.now)
  const session = open.find(({ id }) => id === gate?.session)
  if (!gate || !session) return undefined
  const { user, idleMs, state, mode, activeSince = tx.now } = session
  const since = Math.max(activeSince, tx.now - idleMs)
  const isIdle =
    state === 'active' &&
    !facts.running.some((row) => row.qpu === qpu.id) &&
    new QpuQueue(reading, qpu).firstOf(user) === undefined
  const { person, activeAt } = tx.read({
    person: firstOf<{ username: string; email: string }>(
      'SELECT username, email FROM users WHERE id = $user',
      { user },
    ),
    activeAt: isIdle ? lastActivity(user, qpu.id, since) : { known: undefined },
  })
  return {
    ...gate,
    username: person?.username ?? '',
    email: person?.email ?? '',
    mode,
    isPaused: state === 'paused',
    idleMs,
    idleSince: isIdle ? (activeAt ?? since) : undefined,
  }
}
