import { fromTimestamp, SECOND_MS, toTimestamp } from '../../../base/index.ts'
import { sessions } from '../../collections/sessions/sessions.ts'
import { Memory, type MemorySource } from '../../records/memory.ts'
import type { ReadTx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'
import type { OpenSession } from './machine.ts'

export type Session = RecordOf<typeof sessions>

/** The open sessions of all QPUs, kept in memory: each claim needs those of its QPU, mostly none. */
export class KnownSessions {
  readonly #memory: Memory<typeof sessions>

  constructor(source: MemorySource) {
    this.#memory = new Memory(source, sessions, (tx) => readOpen(tx))
  }

  /** The QPUs with open sessions. */
  qpus(tx: ReadTx): ReadonlySet<string> {
    return new Set(this.#memory.all(tx).map(({ qpu }) => qpu))
  }

  /** Those of a QPU. What the transaction itself has written is not among them. */
  of(tx: ReadTx, qpu: string): OpenSession[] {
    return this.#memory
      .all(tx)
      .filter((session) => session.qpu === qpu)
      .map(openSession)
  }
}

/** The open sessions, of a QPU or of all (''), in the order of their creation. */
function readOpen(tx: ReadTx, qpu = ''): Session[] {
  const ids = tx.all<{ id: string }>(
    `SELECT id FROM sessions WHERE state IN ('queued', 'active', 'paused') AND ($qpu = '' OR qpu = $qpu) ORDER BY seq`,
    { qpu },
  )
  return ids.flatMap(({ id }) => tx.find(sessions, id) ?? [])
}

/** The open sessions of a QPU as the transaction sees them. */
export function openSessionsOf(tx: ReadTx, qpu: string): OpenSession[] {
  return readOpen(tx, qpu).map(openSession)
}

export function openSession(row: Session): OpenSession {
  return {
    id: row.id,
    user: row.user,
    mode: row.mode,
    state: row.state,
    rank: row.rank,
    lastsMs: row.seconds * SECOND_MS,
    idleMs: row.idle_seconds * SECOND_MS,
    activatedAt: fromTimestamp(row.activated_at),
    endsAt: fromTimestamp(row.ends_at),
    holdersEndAt: fromTimestamp(row.holders_end) ?? Number.POSITIVE_INFINITY,
    activeSince: fromTimestamp(row.active_since),
    chargedTo: fromTimestamp(row.charged_to),
    charges: row.charges,
    pausedBy: row.paused_by,
    stoppedAt: fromTimestamp(row.stopped_at),
    end: row.end,
  }
}

/** What of a session the machine changes, as its row has it. */
export function rowOf(session: OpenSession): Partial<Session> {
  const text = (at: number | undefined) =>
    at === undefined || at === Number.POSITIVE_INFINITY ? '' : toTimestamp(at)
  return {
    state: session.state,
    rank: session.rank,
    activated_at: text(session.activatedAt),
    ends_at: text(session.endsAt),
    active_since: text(session.activeSince),
    charged_to: text(session.chargedTo),
    charges: session.charges,
    paused_by: session.pausedBy,
    stopped_at: text(session.stoppedAt),
    end: session.end,
  }
}
