import { AppError, fromTimestamp, HOUR_MS, newId, SECOND_MS, toTimestamp } from '../../../base/index.ts'
import { sessions } from '../../collections/sessions/sessions.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { READABLE_MS } from '../accounts/issued-access.ts'
import { HELD_BY_CLUSTER } from './cluster-accounts.ts'
import { awaitedUntil, lastEnd, requireSession, syncHolders } from './holders-end.ts'
import type { Session } from './known-sessions.ts'
import { closeSession, fundedMsOf, nextBookingOfOthers } from './settle.ts'

/** Who wants a session to last: a batch job, or a program. Times are UTC text. */
export interface Holder {
  id: string
  session: string
  user: string
  kind: string
  name: string
  /** When it ends at the latest; '' = with the session. */
  ends_at: string
  ended_at: string
  created: string
}

/** A request for a session; `key` '' = without an Idempotency-Key. */
export interface NewHolder {
  user: string
  qpu: string
  mode: Session['mode']
  seconds: number
  idleSeconds: number
  /** `isAwaited`: its program waits, and reads it again and again until it is active. */
  holder: { kind: string; name: string; endsAt: string; isAwaited?: boolean }
  key: string
  bodyHash: string
}

export interface HeldSession {
  session: Session
  holder: Holder
  /** What this request has made. */
  made: 'session' | 'holder' | 'nothing'
}

/** The longest session. */
export const MAX_SECONDS = (8 * HOUR_MS) / SECOND_MS

/** Open sessions of one QPU. */
const MAX_OPEN = 100

/** Holders of one session. */
export const MAX_HOLDERS = 1_000

const COLUMNS = 'id, session, "user", kind, name, ends_at, ended_at, created'

/**
 * Opens a session, or joins the open one of the same user, QPU and mode. Once for each key and holder.
 * @throws AppError `unprocessable` (`idempotency_key_reused`); `conflict` (`session_open`, `session_closed`,
 *   `no_balance`, `too_many_sessions`, `too_many_holders`).
 */
export function startSession(tx: Tx, wanted: NewHolder, rate: number): HeldSession {
  const known = knownHolder(tx, wanted)
  if (known) return { session: requireSession(tx, known.session), holder: known, made: 'nothing' }
  const open = openOf(tx, wanted)
  if (open && open.mode !== wanted.mode) {
    const message = `You have an open session of this QPU in the mode ${open.mode}; join it in that mode, or end it`
    throw new AppError('conflict', message, { reason: 'session_open' })
  }
  const same = open && holderNamed(tx, open.id, wanted.holder)
  if (same) return { session: open, holder: same, made: 'nothing' }
  if (tx.read(fundedMsOf(wanted.user, rate)) <= 0) {
    throw new AppError('conflict', 'Your balance of QPU seconds is used up; request more time', {
      reason: 'no_balance',
    })
  }
  const session = open ? lengthen(tx, open, wanted) : insertSession(tx, wanted)
  const holder = insertHolder(tx, session, wanted)
  return { session: syncHolders(tx, session.id), holder, made: open ? 'holder' : 'session' }
}

function knownHolder(tx: ReadTx, { user, key, bodyHash }: NewHolder): Holder | undefined {
  if (key === '') return undefined
  const known = tx.one<Holder & { body_hash: string }>(
    `SELECT ${COLUMNS}, body_hash FROM session_holders WHERE "user" = $user AND key = $key AND key <> ''`,
    { user, key },
  )
  if (!known) return undefined
  const { body_hash, ...holder } = known
  if (body_hash === bodyHash) {
    if (readHolder(tx, holder.id)?.isOpen) return holder
    const message = 'What was started with this Idempotency-Key has ended; use a new key to start again'
    throw new AppError('conflict', message, { reason: 'session_closed' })
  }
  throw new AppError(
    'unprocessable',
    'This Idempotency-Key was used for another request; use a new key for a new request',
    { reason: 'idempotency_key_reused' },
  )
}

function openOf(tx: ReadTx, { user, qpu }: Pick<NewHolder, 'user' | 'qpu'>): Session | undefined {
  const row = tx.one<{ id: string }>(
    `SELECT id FROM sessions WHERE "user" = $user AND qpu = $qpu AND state <> 'closed'`,
    { user, qpu },
  )
  return row && tx.find(sessions, row.id)
}

function holderNamed(tx: ReadTx, session: string, { kind, name }: NewHolder['holder']): Holder | undefined {
  return tx.one<Holder>(
    `SELECT ${COLUMNS} FROM session_holders
     WHERE session = $session AND kind = $kind AND name = $name AND name <> '' AND ended_at = ''`,
    { session, kind, name },
  )
}

function insertSession(tx: Tx, { user, qpu, mode, seconds, idleSeconds }: NewHolder): Session {
  const line = tx.one<{ last: number | null; open: number }>(
    `SELECT max(rank) AS last, count(*) AS open FROM sessions
     WHERE qpu = $qpu AND state IN ('queued', 'active', 'paused')`,
    { qpu },
  )
  if ((line?.open ?? 0) >= MAX_OPEN) {
    const message = `${MAX_OPEN} sessions of this QPU are open, the limit; try again when one has ended`
    throw new AppError('conflict', message, { reason: 'too_many_sessions' })
  }
  return tx.insert(sessions, {
    user,
    qpu,
    mode,
    seconds,
    idle_seconds: idleSeconds,
    rank: (line?.last ?? 0) + 1,
  })
}

/** A session that is joined lasts as long as its new holder wants, and begins again if it was idle. */
function lengthen(tx: Tx, session: Session, { seconds, idleSeconds }: NewHolder): Session {
  const activatedAt = fromTimestamp(session.activated_at)
  const passed = activatedAt === undefined ? 0 : Math.ceil((tx.now - activatedAt) / SECOND_MS)
  const wanted = Math.min(MAX_SECONDS, Math.max(session.seconds, passed + seconds))
  const idle = Math.max(session.idle_seconds, idleSeconds)
  const longer = wanted === session.seconds ? session : setSeconds(tx, session, wanted)
  const patch = {
    ...(idle !== session.idle_seconds && { idle_seconds: idle }),
    // Else it would wait for a job of a holder that waits for it.
    ...(session.paused_by === 'idle' && { paused_by: '' as const }),
  }
  if (Object.keys(patch).length === 0) return longer
  return tx.update(sessions, session.id, patch) ?? longer
}

/** Sets how long a session lasts after its first activation; it still ends before another's booking. */
export function setSeconds(tx: Tx, session: Session, seconds: number): Session {
  const activatedAt = fromTimestamp(session.activated_at)
  const end =
    activatedAt === undefined
      ? undefined
      : Math.min(activatedAt + seconds * SECOND_MS, tx.read(nextBookingOfOthers(session.qpu, session.user)))
  const patch = end === undefined ? { seconds } : { seconds, ends_at: toTimestamp(Math.max(end, tx.now)) }
  return tx.update(sessions, session.id, patch) ?? session
}

function insertHolder(
  tx: Tx,
  { id: session, state }: Session,
  { user, holder, key, bodyHash }: NewHolder,
): Holder {
  const { count } = tx.one<{ count: number }>(
    'SELECT count(*) AS count FROM session_holders WHERE session = $session',
    { session },
  ) ?? { count: 0 }
  if (count >= MAX_HOLDERS) {
    const message = `The session has had ${MAX_HOLDERS} holders, the limit; start another one when it has ended`
    throw new AppError('conflict', message, { reason: 'too_many_holders' })
  }
  const row: Holder = {
    id: newId(tx.now),
    session,
    user,
    kind: holder.kind,
    name: holder.name,
    ends_at: holder.endsAt,
    ended_at: '',
    created: tx.at,
  }
  tx.run(
    `INSERT INTO session_holders (${COLUMNS}, key, body_hash, awaited_until)
     VALUES ($id, $session, $user, $kind, $name, $ends_at, $ended_at, $created, $key, $bodyHash, $awaited)`,
    { ...row, key, bodyHash, awaited: holder.isAwaited && state === 'queued' ? awaitedUntil(tx) : '' },
  )
  return row
}

/** Holders of a session that a response has. */
const MAX_LISTED_HOLDERS = 50

/** Holders of a session whose names begin so, those that have not ended first; by default at most 50. */
export function listHolders(
  tx: ReadTx,
  session: string,
  { prefix = '', limit = MAX_LISTED_HOLDERS } = {},
): Holder[] {
  return tx.all(
    `SELECT ${COLUMNS} FROM session_holders WHERE session = $session AND substr(name, 1, length($prefix)) = $prefix
     ORDER BY ended_at, id LIMIT $limit`,
    { session, prefix, limit },
  )
}

/** Ends a holder, and the session with its last one. */
export function endHolder(tx: Tx, { id, session }: Pick<Holder, 'id' | 'session'>, rate: number): void {
  tx.run("UPDATE session_holders SET ended_at = $at WHERE id = $id AND ended_at = ''", { id, at: tx.at })
  if (lastEnd(tx, session) === undefined) closeSession(tx, session, { end: 'ended', rate })
  else if (requireSession(tx, session).state !== 'closed') syncHolders(tx, session)
}

/** Lets holders end when the jobs that their secrets submitted have ended. */
export function leaveSession(tx: Tx, holders: readonly Pick<Holder, 'id'>[]): void {
  const ids = JSON.stringify(holders.map(({ id }) => id))
  tx.run(`UPDATE session_holders SET leaving = 1 WHERE id IN ${tx.dialect.jsonTexts('$ids')}`, { ids })
}

/** What the secret of a holder opens at present; undefined for an unknown or a revoked one. */
export function readHolder(
  tx: ReadTx,
  id: string,
): { session: string; user: string; qpu: string; isOpen: boolean; readableUntil: number } | undefined {
  const holder = tx.one<Holder>(`SELECT ${COLUMNS} FROM session_holders WHERE id = $id AND revoked = 0`, {
    id,
  })
  const session = holder && tx.find(sessions, holder.session)
  if (!holder || !session) return undefined
  const closedAt = session.state === 'closed' ? session.stopped_at : ''
  const ends = [holder.ended_at, holder.ends_at, closedAt, session.ends_at]
  const end = Math.min(...ends.map((text) => fromTimestamp(text) ?? Number.POSITIVE_INFINITY))
  return {
    session: session.id,
    user: session.user,
    qpu: session.qpu,
    isOpen: tx.now < end,
    readableUntil: end + READABLE_MS,
  }
}

export function holderById(tx: ReadTx, id: string): Holder | undefined {
  return tx.one(`SELECT ${COLUMNS} FROM session_holders WHERE id = $id`, { id })
}

/** Sessions of a user, of a cluster or of all, newest first; with `holder` open ones that it has. */
export function listSessions(
  tx: ReadTx,
  of: {
    user: string | undefined
    cluster: string | undefined
    qpu: string | undefined
    session: string | undefined
    state?: Session['state'] | undefined
    holder?: { kind: string; name: string } | undefined
    limit: number
  },
): Session[] {
  const { user = '', qpu = '', session = '', state = '', holder, cluster, limit } = of
  const held = holder
    ? `AND state IN ('queued', 'active', 'paused') AND EXISTS (SELECT 1 FROM session_holders
         WHERE session = sessions.id AND kind = $kind AND name = $name AND ended_at = '')`
    : ''
  const ids = tx.all<{ id: string }>(
    `SELECT id FROM sessions WHERE ($user = '' OR "user" = $user) AND ($qpu = '' OR qpu = $qpu)
       AND ($session = '' OR id = $session) AND ($state = '' OR state = $state)
       ${held} ${cluster === undefined ? '' : `AND ${HELD_BY_CLUSTER}`}
     ORDER BY seq DESC LIMIT $limit`,
    { user, qpu, session, state, limit, ...holder, ...(cluster !== undefined && { cluster }) },
  )
  return ids.flatMap(({ id }) => tx.find(sessions, id) ?? [])
}
