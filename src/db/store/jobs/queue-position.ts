import { qpus } from '../../collections/qpus.ts'
import { QUEUED } from '../../collections/quantum_jobs.ts'
import type { ReadTx } from '../../records/tx.ts'
import { fitsQpu } from './fits-qpu.ts'
import { MOVED_TO_FRONT, PENDING_BY_QPU, type QueueState, readQueue } from './queue.ts'

/** A pending job and its queues: the input for explaining why and estimating how long it waits. */
export interface QueuePositionInput {
  job: {
    user: string
    /** Earliest next run, ms since the epoch; 0 = any time. */
    notBefore: number
    hasBalance: boolean
    /** The reason of an operator's hold, '' without a reason; undefined when the job is not held. */
    held: string | undefined
    /** Whether an operator moved it before all others. */
    isNext: boolean
  }
  /** One for each QPU that may run the job. */
  queues: CandidateQueue[]
}

export interface CandidateQueue {
  state: QueueState
  /** Number of pending jobs that this QPU would run before it, whether or not they may run now. */
  ahead: number
  /** Whether the running job belongs to the user who has booked the current slot. */
  isBookerRunning: boolean
  /** Time from claim to end of the latest jobs on this QPU, in ms. */
  recentMs: number[]
}

interface PendingRow {
  seq: number
  user_id: string
  qpu_target: string
  not_before: number
  qubits: number
  has_balance: number
  held: number
  hold_reason: string
  run_next: number
}

/** Reads the queues of a job; undefined when it is not pending. */
export function readQueuePosition(tx: ReadTx, id: string, idleMs: number): QueuePositionInput | undefined {
  const row = tx.one<PendingRow>(
    `SELECT job.seq, job.user_id, job.qpu_target, job.not_before, job.qubits,
       job.held, job.hold_reason, job.run_next,
       coalesce(owner.unlimited = 1 OR owner.qpu_ms > 0, 0) AS has_balance
     FROM quantum_jobs job LEFT JOIN users owner ON owner.id = job.user_id
     WHERE job.id = $id AND job.status = 'pending'`,
    { id },
  )
  if (!row) return undefined
  const states = candidates(tx, row).map((qpu) => readQueue(tx, qpu, idleMs))
  return {
    job: {
      user: row.user_id,
      notBefore: row.not_before,
      hasBalance: row.has_balance === 1,
      held: row.held === 1 ? row.hold_reason : undefined,
      isNext: row.run_next > 0,
    },
    queues: states
      .filter((state) => state !== undefined)
      .map((state) => ({
        state,
        ahead: countAhead(tx, row, state),
        isBookerRunning: isBookerRunning(tx, state),
        recentMs: recentMs(tx, state.qpu.id),
      })),
  }
}

function candidates(tx: ReadTx, job: PendingRow): string[] {
  if (job.qpu_target !== '') return [job.qpu_target]
  return tx
    .list(qpus, { where: { enabled: true } })
    .filter((qpu) => fitsQpu(job.qubits, qpu))
    .map((qpu) => qpu.id)
}

/** The number of jobs before this one: those moved to the front, then those of `isEarlier`. */
function countAhead(tx: ReadTx, job: PendingRow, { qpu, slot }: QueueState): number {
  const params = {
    qpu: qpu.id,
    seq: job.seq,
    user: job.user_id,
    booker: slot?.user ?? '',
    rank: job.run_next,
  }
  const count = (jobs: string, condition: string) =>
    tx.one<{ jobs: number }>(
      `SELECT count(*) AS jobs FROM ${jobs}
       WHERE ${QUEUED} AND qpu_target IN ('', $qpu) AND seq <> $seq AND ${condition}`,
      params,
    )?.jobs ?? 0
  if (job.run_next > 0) return count(MOVED_TO_FRONT, 'run_next > 0 AND run_next > $rank')
  const earlier = isEarlier(job, slot)
  return count(PENDING_BY_QPU, earlier) + count(MOVED_TO_FRONT, `run_next > 0 AND NOT (${earlier})`)
}

/** The condition of jobs that precede this one by booking and order of submission. */
function isEarlier({ user_id }: PendingRow, slot: QueueState['slot']): string {
  if (!slot) return 'seq < $seq'
  if (slot.user === user_id) return 'seq < $seq AND user_id = $user'
  // The booker's jobs go first, whenever they were submitted.
  return '(seq < $seq OR user_id = $booker)'
}

function isBookerRunning(tx: ReadTx, { slot, running }: QueueState): boolean {
  if (!slot || !running) return false
  const owner = tx.one<{ user_id: string }>('SELECT user_id FROM quantum_jobs WHERE id = $id', {
    id: running.job,
  })
  return owner?.user_id === slot.user
}

function recentMs(tx: ReadTx, qpu: string): number[] {
  const rows = tx.all<{ ms: number }>(
    `SELECT (julianday(ended_at) - julianday(claimed_at)) * 86400000 AS ms FROM
       (SELECT ended_at, claimed_at, state FROM job_attempts
        WHERE qpu = $qpu AND ended_at <> '' ORDER BY ended_at DESC LIMIT 20)
     WHERE state = 'ok'`,
    { qpu },
  )
  return rows.map((row) => Math.max(0, Math.round(row.ms)))
}
