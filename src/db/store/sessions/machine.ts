/**
 * The sessions of one QPU: what each of them is at a time, given bookings, jobs, balances and whether the QPU
 * is available. Pure; times in ms since the epoch.
 *
 * | from → to | when |
 * |---|---|
 * | queued → active | it is first in line, the QPU is available, no job runs, nobody else has booked the time |
 * | active → paused | its user has had no job for `idleMs`, or the QPU is not available |
 * | paused → active | as from queued, and after idleness its user has a job that may run |
 * | any → closed | its time or its last holder has ended, another's booking begins, the balance is used up |
 */

type SessionMode = 'exclusive' | 'batch'
type SessionState = 'queued' | 'active' | 'paused' | 'closed'

/** Why a QPU runs no jobs. */
export type ClosedBy = 'disabled' | 'maintenance' | 'draining' | 'offline' | 'calibrating'

/** Why a session has ended; `ended`: by its holders or a superuser. */
export type SessionEnd = 'expired' | 'ended' | 'booking' | 'balance'

/** A session that is not closed. */
export interface OpenSession {
  readonly id: string
  readonly user: string
  readonly mode: SessionMode
  readonly state: SessionState
  /** Place in the line of its QPU, the smallest first. */
  readonly rank: number
  /** How long it lasts after its first activation. */
  readonly lastsMs: number
  readonly idleMs: number
  /** First activation; undefined before. */
  readonly activatedAt: number | undefined
  /** From the first activation on, when it ends at the latest. */
  readonly endsAt: number | undefined
  /** When its last holder ends. */
  readonly holdersEndAt: number
  /** When it was last activated. */
  readonly activeSince: number | undefined
  /** Up to when it is charged while it is held. */
  readonly chargedTo: number | undefined
  /** Number of its charges. */
  readonly charges: number
  /** Why it is paused. */
  readonly pausedBy: '' | 'idle' | ClosedBy
  /** Since when, if it is paused or closed. */
  readonly stoppedAt: number | undefined
  readonly end: '' | SessionEnd
}

/** The user of a session at present. */
interface SessionUser {
  /** A job that may run now waits. */
  hasJob: boolean
  /** The last submission for the QPU or the last end of a job on it, as far as it matters. */
  activeAt: number | undefined
  /** How long the balance lasts; Infinity for unlimited users. */
  fundedMs: number
  /** When the next booking of another user begins; Infinity without one. */
  nextBookingOfOthers: number
}

/** What decides on the sessions of a QPU. */
export interface SessionFacts {
  now: number
  closedBy: ClosedBy | undefined
  isRunning: boolean
  /** The booking of the present time. */
  booking: { user: string; start: number; end: number } | undefined
  users: ReadonlyMap<string, SessionUser>
}

/** A stretch of time to charge: the `number`th of its session. */
export interface SessionCharge {
  session: string
  user: string
  number: number
  from: number
  to: number
}

export interface Advanced {
  /** All that were open, with those that have ended now. */
  sessions: OpenSession[]
  changed: OpenSession[]
  charges: SessionCharge[]
}

/** A stretch is charged at the latest after this time: a crash loses no more. */
export const MAX_CHARGE_MS = 60_000

/** A session begins only if it can last so long before another's booking, or as long as it wants. */
const MIN_ACTIVE_MS = 60_000

/** What the sessions of a QPU are now. */
export function advance(open: readonly OpenSession[], facts: SessionFacts): Advanced {
  const charges: SessionCharge[] = []
  const stopped = open.map((session) => stopIfDue(boundToNow(session, facts.now), facts, charges))
  const line = inLine(stopped)
  const first = line.some(({ state }) => state === 'active')
    ? undefined
    : line.find((each) => mayActivate(each, facts))
  const sessions = stopped.map((session) =>
    session === first ? activate(session, line[0] ?? session, facts) : session,
  )
  return { sessions, changed: sessions.filter((session, at) => session !== open[at]), charges }
}

/** A clock that was ahead has stored times that have not come yet: nothing waits for them. */
function boundToNow(session: OpenSession, now: number): OpenSession {
  const times = ['activatedAt', 'activeSince', 'chargedTo', 'stoppedAt'] as const
  const late = times.filter((name) => (session[name] ?? now) > now)
  if (late.length === 0) return session
  return { ...session, ...Object.fromEntries(late.map((name) => [name, now])) }
}

/** The open sessions, the first in line first. */
export function inLine(sessions: readonly OpenSession[]): OpenSession[] {
  return sessions.filter(({ state }) => state !== 'closed').sort((one, other) => one.rank - other.rank)
}

/** Whose jobs go first on a QPU, and whether others' wait as long as it is so. */
export interface SessionGate {
  session: string
  user: string
  isExclusive: boolean
  /** When it ends at the latest, ms since the epoch. */
  until: number
  /** Without a job of its user for so long, it is paused. */
  idleMs: number
  /** When the exclusive ones after it have ended, too, at the latest. */
  lineUntil: number
}

/** The session that decides who may start on its QPU now; undefined when none does. */
export function gateOf(sessions: readonly OpenSession[], now: number): SessionGate | undefined {
  const line = inLine(sessions)
  const [first] = line
  if (!first || (first.state !== 'active' && first.state !== 'paused')) return undefined
  const until = Math.min(first.endsAt ?? now, first.holdersEndAt)
  if (until <= now) return undefined
  const isExclusive = first.state === 'active' && first.mode === 'exclusive'
  const { id: session, user, idleMs } = first
  const lineUntil = latestEnd(
    line.filter(({ mode }) => mode === 'exclusive'),
    now,
  )
  return { session, user, isExclusive, until, idleMs, lineUntil }
}

/** When sessions of which each begins after the one before have ended, at the latest. */
export function latestEnd(line: readonly OpenSession[], now: number): number {
  return line.reduce((at, { endsAt, holdersEndAt, lastsMs }) => {
    // Holders that wait may stay longer than they have said so far.
    if (endsAt === undefined) return at + lastsMs
    return Math.max(at, Math.min(endsAt, holdersEndAt))
  }, now)
}

/** Ends a session, charging what it was held. */
export function close(
  session: OpenSession,
  { at, end }: { at: number; end: SessionEnd },
  charges: SessionCharge[],
): OpenSession {
  return { ...letGo(session, at, charges), state: 'closed', pausedBy: '', stoppedAt: at, end }
}

/** A removed user has nothing. */
const NOBODY: SessionUser = { hasJob: false, activeAt: undefined, fundedMs: 0, nextBookingOfOthers: 0 }

function userIn({ users }: SessionFacts, { user }: OpenSession): SessionUser {
  return users.get(user) ?? NOBODY
}

type Stop = { at: number } & ({ end: SessionEnd } | { pausedBy: 'idle' | ClosedBy })

function stopIfDue(session: OpenSession, facts: SessionFacts, charges: SessionCharge[]): OpenSession {
  const { now } = facts
  const [stop] = stopsOf(session, facts).sort((one, other) => one.at - other.at)
  if (!stop || stop.at > now) return session.state === 'active' ? hold(session, facts, charges) : session
  const at = Math.max(stop.at, session.chargedTo ?? stop.at)
  if ('end' in stop) return close(session, { at, end: stop.end }, charges)
  const { pausedBy } = stop
  return { ...letGo(session, at, charges), state: 'paused', pausedBy, stoppedAt: at }
}

/** When a session stops, in order of importance at the same time. */
function stopsOf(session: OpenSession, facts: SessionFacts): Stop[] {
  const { now, booking } = facts
  const { state, user, activatedAt } = session
  const stops: Stop[] = []
  if (activatedAt !== undefined && booking && booking.user !== user) {
    stops.push({ at: Math.max(booking.start, activatedAt), end: 'booking' })
  }
  const { endsAt = Number.POSITIVE_INFINITY, holdersEndAt, lastsMs } = session
  const latest = activatedAt === undefined ? endsAt : Math.min(endsAt, activatedAt + lastsMs)
  stops.push({ at: Math.min(latest, holdersEndAt), end: 'expired' })
  const { fundedMs, hasJob, activeAt } = userIn(facts, session)
  // Its jobs have run for nothing but this charge, also if something else has used up the balance since.
  const funded = Math.max((session.chargedTo ?? now) + Math.max(0, fundedMs), activeAt ?? 0)
  if (fundedMs <= 0 || session.chargedTo !== undefined) stops.push({ at: funded, end: 'balance' })
  if (state !== 'active') return stops
  if (facts.closedBy) stops.push({ at: now, pausedBy: facts.closedBy })
  if (!facts.isRunning && !hasJob) {
    const since = session.activeSince ?? now
    stops.push({ at: Math.max(since, activeAt ?? since) + session.idleMs, pausedBy: 'idle' })
  }
  return stops
}

/** Goes on, charging what is due; in a booking of its user it is free. */
function hold(session: OpenSession, { now, booking }: SessionFacts, charges: SessionCharge[]): OpenSession {
  const isFree = session.mode === 'batch' || booking?.user === session.user
  if (isFree) {
    const since = booking ? Math.max(booking.start, session.chargedTo ?? now) : now
    const endsAt = booking ? Math.min(session.endsAt ?? booking.end, booking.end) : session.endsAt
    if (session.chargedTo === undefined) return endsAt === session.endsAt ? session : { ...session, endsAt }
    return { ...letGo(session, Math.min(now, since), charges), endsAt }
  }
  const from = session.chargedTo
  if (from === undefined || now - from < MAX_CHARGE_MS) return session
  return { ...chargeUpTo(session, now, charges), chargedTo: now }
}

/** Charges a session up to a time in stretches. */
function chargeUpTo(session: OpenSession, to: number, charges: SessionCharge[]): OpenSession {
  let { chargedTo: from, charges: number } = session
  if (from === undefined) return session
  while (from < to) {
    const until: number = Math.min(to, from + MAX_CHARGE_MS)
    number += 1
    charges.push({ session: session.id, user: session.user, number, from, to: until })
    from = until
  }
  return { ...session, charges: number }
}

/** From a time on it is not charged. */
function letGo(session: OpenSession, at: number, charges: SessionCharge[]): OpenSession {
  if (session.chargedTo === undefined) return session
  return { ...chargeUpTo(session, at, charges), chargedTo: undefined }
}

function mayActivate(session: OpenSession, facts: SessionFacts): boolean {
  const { now, booking } = facts
  if (facts.closedBy || facts.isRunning) return false
  if (booking && booking.user !== session.user) return false
  if (session.state === 'paused' && session.pausedBy === 'idle' && !userIn(facts, session).hasJob)
    return false
  if (session.activatedAt !== undefined) return true
  const wantedMs = Math.min(session.lastsMs, session.holdersEndAt - now)
  return userIn(facts, session).nextBookingOfOthers - now >= Math.min(wantedMs, MIN_ACTIVE_MS)
}

/** Makes it the first in line: a paused one that gave way stands first behind it. */
function activate(session: OpenSession, first: OpenSession, facts: SessionFacts): OpenSession {
  const { now, booking } = facts
  const isOwnBooking = booking?.user === session.user
  const isCharged = session.mode === 'exclusive' && !isOwnBooking
  const latest = session.endsAt ?? Math.min(now + session.lastsMs, userIn(facts, session).nextBookingOfOthers)
  return {
    ...session,
    state: 'active',
    rank: session === first ? session.rank : first.rank - 1,
    activatedAt: session.activatedAt ?? now,
    endsAt: isOwnBooking ? Math.min(latest, booking.end) : latest,
    activeSince: now,
    chargedTo: isCharged ? now : undefined,
    pausedBy: '',
    stoppedAt: undefined,
  }
}
