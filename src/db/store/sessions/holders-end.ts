import { MINUTE_MS, notFound, toTimestamp } from '../../../base/index.ts'
import { sessions } from '../../collections/sessions/sessions.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { Session } from './known-sessions.ts'

/** A program that waits for a queued session reads it so often, else it is gone. */
const AWAITED_MS = 5 * MINUTE_MS

/** Until when a program that waits has to read its session again, UTC text. */
export function awaitedUntil({ now }: ReadTx): string {
  return toTimestamp(now + AWAITED_MS)
}

/** Notes that the program of a holder waits for its session. */
export function renewHolder(tx: Tx, { id, session }: { id: string; session: string }): void {
  const soon = toTimestamp(tx.now + AWAITED_MS - MINUTE_MS)
  const renewed = tx.run(
    `UPDATE session_holders SET awaited_until = $until
     WHERE id = $id AND ended_at = '' AND awaited_until <> '' AND awaited_until < $soon`,
    { id, until: awaitedUntil(tx), soon },
  )
  if (renewed > 0 && requireSession(tx, session).state !== 'closed') syncHolders(tx, session)
}

/** A session that is active has no holders that wait: those whose programs are gone end. */
export function endWaits(tx: Tx, session: string): void {
  tx.run(
    `UPDATE session_holders SET ended_at = CASE WHEN awaited_until < $at THEN $at ELSE '' END, awaited_until = ''
     WHERE session = $session AND ended_at = '' AND awaited_until <> ''`,
    { session, at: tx.at },
  )
  syncHolders(tx, session)
}

/** Lets all wait again: after a stop of the server, when none could read, and when its clock was set back. */
export function renewWaits(tx: Tx): void {
  const queued = tx.all<{ id: string }>(
    "SELECT id FROM sessions WHERE state = 'queued' AND holders_end <> ''",
  )
  for (const { id: session } of queued) {
    tx.run(
      "UPDATE session_holders SET awaited_until = $until WHERE session = $session AND awaited_until <> ''",
      { session, until: awaitedUntil(tx) },
    )
    syncHolders(tx, session)
  }
}

/** Stores when the last holder of a session ends. */
export function syncHolders(tx: Tx, id: string): Session {
  const last = lastEnd(tx, id) ?? tx.at
  const session = requireSession(tx, id)
  return session.holders_end === last ? session : (tx.update(sessions, id, { holders_end: last }) ?? session)
}

/** When the last of the holders that have not ended ends, '' = with the session; undefined without any. */
export function lastEnd(tx: ReadTx, session: string): string | undefined {
  const open = tx.one<{ first: string | null; last: string | null }>(
    `SELECT min(at) AS first, max(at) AS last FROM (
       SELECT CASE WHEN awaited_until <> '' AND (ends_at = '' OR awaited_until < ends_at)
         THEN awaited_until ELSE ends_at END AS at
       FROM session_holders WHERE session = $session AND ended_at = '') ends`,
    { session },
  )
  return (open?.first === '' ? '' : open?.last) ?? undefined
}

export function requireSession(tx: ReadTx, id: string): Session {
  const session = tx.find(sessions, id)
  if (!session) throw notFound()
  return session
}
