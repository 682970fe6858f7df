import { SECOND_MS, toTimestamp } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import { findQpu } from '../../db/store/qpus/index.ts'
import {
  inLine,
  latestEnd,
  listHolders,
  nameInCluster,
  type OpenSession,
  openSession,
  openSessionsOf,
  type Session,
} from '../../db/store/sessions/index.ts'
import type { SessionView } from './responses.ts'

interface ViewOptions {
  /** QPU seconds for each second. */
  rate: number
  /** For a cluster, only what it holds itself, by the names that it gave. */
  cluster: string | undefined
}

/** Sessions as their users or a cluster see them. */
export function viewSessions(tx: ReadTx, found: readonly Session[], options: ViewOptions): SessionView[] {
  const lines = new Map<string, OpenSession[]>()
  return found.map((session) => {
    const isOpen = session.state !== 'closed'
    const line = isOpen ? (lines.get(session.qpu) ?? inLine(openSessionsOf(tx, session.qpu))) : []
    if (isOpen) lines.set(session.qpu, line)
    return view(tx, session, { ...options, line })
  })
}

/** A session as its user or a cluster sees it. */
export function viewSession(tx: ReadTx, session: Session, options: ViewOptions): SessionView {
  const line = session.state === 'closed' ? [] : inLine(openSessionsOf(tx, session.qpu))
  return view(tx, session, { ...options, line })
}

function view(
  tx: ReadTx,
  session: Session,
  { rate, cluster, line }: ViewOptions & { line: readonly OpenSession[] },
): SessionView {
  const isOpen = session.state !== 'closed'
  const at = line.findIndex(({ id }) => id === session.id)
  const { id, qpu, user, mode, state, seconds, idle_seconds, activated_at, ends_at, created } = session
  return {
    id,
    qpu,
    qpu_target: findQpu(tx, qpu)?.name ?? '',
    user,
    mode,
    state,
    seconds,
    idle_seconds,
    position: isOpen ? at + 1 : null,
    expected_start: state === 'queued' ? expectedStart(line.slice(0, at), tx.now) : null,
    activated_at,
    ends_at,
    paused_by: session.paused_by,
    stopped_at: session.stopped_at,
    end: session.end,
    end_reason: session.end_reason,
    held_seconds: session.held_ms / SECOND_MS,
    max_cost_seconds: mode === 'exclusive' ? maxHeldMs(session, tx.now) * (rate / SECOND_MS) : 0,
    holders: holdersOf(tx, id, nameInCluster(cluster, '')),
    created,
  }
}

function holdersOf(tx: ReadTx, session: string, prefix: string): SessionView['holders'] {
  return listHolders(tx, session, { prefix }).map(({ id, kind, name, ends_at, ended_at }) => ({
    id,
    kind,
    name: name.slice(prefix.length),
    ends_at,
    ended_at,
  }))
}

/** Now if those before it pause or end, at the latest when the time of all of them is over. */
function expectedStart(before: readonly OpenSession[], now: number): { from: string; to: string } {
  return { from: toTimestamp(now), to: toTimestamp(latestEnd(before, now)) }
}

function maxHeldMs(row: Session, now: number): number {
  const { state, endsAt, lastsMs, chargedTo, holdersEndAt } = openSession(row)
  if (state === 'closed') return row.held_ms
  if (endsAt === undefined) return lastsMs
  return row.held_ms + Math.max(0, Math.min(endsAt, holdersEndAt) - (chargedTo ?? now))
}
