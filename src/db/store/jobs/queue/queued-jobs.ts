import { QUEUED } from '../../../collections/quantum_jobs.ts'
import type { ReadTx } from '../../../records/tx.ts'
import type { FairShare } from './fair-share.ts'
import { listInFairOrder } from './list-fairly.ts'
import { type QueueState, readQueue } from './queue.ts'
import { type CandidateQueue, isBookerRunning, movedByUser, recentMs, typicalMs } from './queue-position.ts'
import { MOVED_TO_FRONT, PENDING_BY_QPU, PENDING_BY_USER } from './queue-sql.ts'

/** A queued job with its owner: the caller decides who sees what. */
export interface QueuedJob {
  id: string
  user: string
  email: string
  name: string
  shots: number
  /** UTC text. */
  created: string
  /** Earliest next run, ms since the epoch; 0 = any time. */
  notBefore: number
  hasBalance: boolean
  /** Whether an operator moved it before all others. */
  isNext: boolean
}

/** The head of a queue, and what its QPU does: the input for estimating when the jobs start. */
export interface QueueHead {
  jobs: QueuedJob[]
  queue: Omit<CandidateQueue, 'ahead' | 'isLonger'>
}

/**
 * The first queued jobs of a QPU in the order in which they would start: those moved to the front, those of
 * the user who has booked the present time, then the others by fair share or, without `fair`, in the order of
 * submission. The cost depends on `limit`, not on the length of the queue. Undefined for an unknown QPU.
 */
export function readQueueHead(
  tx: ReadTx,
  qpu: string,
  { limit, idleMs, fair }: { limit: number; idleMs: number; fair?: FairShare | undefined },
): QueueHead | undefined {
  const state = readQueue(tx, qpu, idleMs, fair)
  if (!state) return undefined
  const recent = recentMs(tx, qpu)
  const seqs = orderedSeqs(tx, state, { limit, fair, runMs: typicalMs(recent) })
  return {
    jobs: seqs.flatMap((seq) => jobAt(tx, seq) ?? []),
    queue: { state, isBookerRunning: isBookerRunning(tx, state), recentMs: recent },
  }
}

interface Order {
  limit: number
  fair: FairShare | undefined
  runMs: number
}

function orderedSeqs(tx: ReadTx, { qpu, slot }: QueueState, { limit, fair, runMs }: Order): number[] {
  const booker = slot?.user ?? ''
  const rows = (from: string, condition: string, order: string) =>
    tx.all<{ seq: number; user: string }>(
      `SELECT seq, user_id AS user FROM ${from} WHERE ${QUEUED} AND ${condition} ORDER BY ${order} LIMIT $limit`,
      { qpu: qpu.id, booker, limit },
    )
  const seqs = (...given: Parameters<typeof rows>) => rows(...given).map(({ seq }) => seq)
  const submitted = [`qpu_target = $qpu`, `qpu_target = ''`]
    .flatMap((target) => rows(PENDING_BY_QPU, target, 'seq'))
    .toSorted((one, other) => one.seq - other.seq)
  const owners = submitted.map(({ user }) => user)
  const others = fair
    ? listInFairOrder(tx, { qpu, fair, runMs, limit, except: booker, moved: movedByUser(tx, qpu.id), owners })
    : submitted.map(({ seq }) => seq)
  const ordered = new Set([
    ...seqs(MOVED_TO_FRONT, `run_next > 0 AND qpu_target IN ('', $qpu)`, 'run_next DESC'),
    ...seqs(PENDING_BY_USER, `user_id = $booker AND qpu_target IN ('', $qpu)`, 'seq'),
    ...others,
  ])
  return [...ordered].slice(0, limit)
}

type JobRow = Omit<QueuedJob, 'hasBalance' | 'isNext'> & { hasBalance: number; isNext: number }

function jobAt(tx: ReadTx, seq: number): QueuedJob | undefined {
  const row = tx.one<JobRow>(
    `SELECT job.id, job.user_id AS user, coalesce(owner.email, '') AS email, job.name, job.shots, job.created,
       job.not_before AS "notBefore", job.run_next > 0 AS "isNext",
       coalesce(owner.unlimited = 1 OR owner.qpu_ms > 0, 0) AS "hasBalance"
     FROM quantum_jobs job LEFT JOIN users owner ON owner.id = job.user_id WHERE job.seq = $seq`,
    { seq },
  )
  return row && { ...row, hasBalance: row.hasBalance === 1, isNext: row.isNext === 1 }
}
