import { qpus } from '../../collections/qpus.ts'
import { QUEUED } from '../../collections/quantum_jobs.ts'
import type { ReadTx } from '../../records/tx.ts'
import { fitsQpu } from './fits-qpu.ts'
import { MOVED_TO_FRONT, PENDING_BY_QPU, PENDING_BY_USER, type QueueState, readQueue } from './queue.ts'

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
  /** Whether there are more than `ahead`, which is as far as they are counted. */
  isLonger: boolean
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

/**
 * Number of jobs that are counted for one answer, in all queues together: 5 to 10 ms, which every view of a
 * pending job takes.
 */
const MAX_COUNTED = 5_000

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
        ...countAhead(tx, row, state, Math.ceil(MAX_COUNTED / states.length)),
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

/** Counts up to `most` jobs before this one: those moved to the front, then those of `earlierJobs`. */
function countAhead(
  tx: ReadTx,
  job: PendingRow,
  { qpu, slot }: QueueState,
  most: number,
): Pick<CandidateQueue, 'ahead' | 'isLonger'> {
  const params = {
    qpu: qpu.id,
    seq: job.seq,
    user: job.user_id,
    booker: slot?.user ?? '',
    rank: job.run_next,
    limit: most + 1,
  }
  const count = ({ jobs, condition }: Counted) =>
    tx.one<{ jobs: number }>(
      `SELECT count(*) AS jobs FROM (SELECT 1 FROM ${jobs}
       WHERE ${QUEUED} AND qpu_target IN ('', $qpu) AND seq <> $seq AND ${condition} LIMIT $limit)`,
      params,
    )?.jobs ?? 0
  const counted =
    job.run_next > 0
      ? [{ jobs: MOVED_TO_FRONT, condition: 'run_next > 0 AND run_next > $rank' }]
      : earlierJobs(job, slot)
  const ahead = counted.reduce((sum, each) => sum + count(each), 0)
  return { ahead: Math.min(ahead, most), isLonger: ahead > most }
}

/** Jobs to count, by the index that finds them. */
interface Counted {
  jobs: string
  condition: string
}

/** The jobs that precede this one, which nobody has moved, by booking and order of submission. */
function earlierJobs({ user_id }: PendingRow, slot: QueueState['slot']): Counted[] {
  const moved = (earlier: string) => ({
    jobs: MOVED_TO_FRONT,
    condition: `run_next > 0 AND NOT (${earlier})`,
  })
  if (!slot) return [{ jobs: PENDING_BY_QPU, condition: 'seq < $seq' }, moved('seq < $seq')]
  if (slot.user === user_id) {
    const own = 'seq < $seq AND user_id = $user'
    return [{ jobs: PENDING_BY_USER, condition: own }, moved(own)]
  }
  // The booker's jobs go first, whenever they were submitted.
  return [
    { jobs: PENDING_BY_QPU, condition: 'seq < $seq' },
    { jobs: PENDING_BY_USER, condition: 'seq > $seq AND user_id = $booker' },
    moved('seq < $seq OR user_id = $booker'),
  ]
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
