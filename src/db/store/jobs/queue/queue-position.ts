import { qpus } from '../../../collections/qpus.ts'
import { COMPLETED_HERE, QUEUED } from '../../../collections/quantum_jobs.ts'
import type { ReadTx } from '../../../records/tx.ts'
import type { Qpu } from '../../qpus/qpus.ts'
import { unfitReasons } from '../../qpus/unfit-jobs.ts'
import { type Excess, excessOf, FITS_QPU, fitsParams, type JobNeeds } from '../fits-qpu.ts'
import { countBeforeInFairOrder } from './fair-queue.ts'
import type { FairShare } from './fair-share.ts'
import { type QueueState, readQueue } from './queue.ts'
import { MOVED_TO_FRONT, PENDING_BY_QPU, PENDING_BY_USER } from './queue-sql.ts'

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
  /** The QPUs of its target that cannot run it; `unfit`: what of their chips is not calibrated for it. */
  excluded: { qpu: Qpu; excess: Excess[]; unfit: string | undefined }[]
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

interface PendingRow extends JobNeeds {
  id: string
  seq: number
  user_id: string
  qpu_target: string
  not_before: number
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

/** Reads the queues of a job; undefined when it is not pending. `fair`: as for `readQueue`. */
export function readQueuePosition(
  tx: ReadTx,
  id: string,
  idleMs: number,
  fair?: FairShare,
): QueuePositionInput | undefined {
  const row = tx.one<PendingRow>(
    `SELECT job.id, job.seq, job.user_id, job.qpu_target, job.not_before,
       job.qubits, job.shots, job.executions, job.features,
       job.held, job.hold_reason, job.run_next,
       coalesce(owner.unlimited = 1 OR owner.qpu_ms > 0, 0) AS has_balance
     FROM quantum_jobs job LEFT JOIN users owner ON owner.id = job.user_id
     WHERE job.id = $id AND job.status = 'pending'`,
    { id },
  )
  return row && positionOf(tx, row, { idleMs, fair, most: MAX_COUNTED })
}

/** Who would submit a job, and to which QPU. */
interface NewJob {
  /** Id of the user; '' for somebody without bookings and recent use. */
  user: string
  /** Id of the QPU. */
  qpu: string
  /** Number of QPUs for which one response reads this: together they count as many jobs as one view does. */
  among: number
}

/** Reads the queue of a QPU for a job that was submitted now and needs nothing special. `fair`: as above. */
export function readNewPosition(
  tx: ReadTx,
  { user, qpu, among }: NewJob,
  idleMs: number,
  fair?: FairShare,
): QueuePositionInput {
  const most = Math.ceil(MAX_COUNTED / Math.max(1, among))
  const job = { id: '', seq: Number.MAX_SAFE_INTEGER, user_id: user, qpu_target: qpu, not_before: 0 }
  const needs = { qubits: 0, shots: 0, executions: 0, features: 0 }
  const state = { has_balance: 1, held: 0, hold_reason: '', run_next: 0 }
  return positionOf(tx, { ...job, ...needs, ...state }, { idleMs, fair, most })
}

function positionOf(
  tx: ReadTx,
  row: PendingRow,
  { idleMs, fair, most: mostOfAll }: { idleMs: number; fair: FairShare | undefined; most: number },
): QueuePositionInput {
  const unfit = unfitReasons(tx, row.seq)
  const targets = targetsOf(tx, row).map((qpu) => {
    return { qpu, excess: excessOf(row, qpu), unfit: unfit.get(qpu.id) }
  })
  const [fitting, excluded] = [true, false].map((fits) =>
    targets.filter((each) => (each.excess.length === 0 && each.unfit === undefined) === fits),
  ) as [typeof targets, typeof targets]
  const states = fitting.map(({ qpu }) => readQueue(tx, qpu.id, idleMs, fair))
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
      .map((state) => {
        const recent = recentMs(tx, state.qpu.id)
        const most = Math.ceil(mostOfAll / states.length)
        return {
          state,
          ...countAhead(tx, row, state, { most, fair, runMs: typicalMs(recent) }),
          isBookerRunning: isBookerRunning(tx, state),
          recentMs: recent,
        }
      }),
    excluded,
  }
}

/** The QPU that a job is for, or all enabled ones. */
function targetsOf(tx: ReadTx, { qpu_target }: PendingRow): Qpu[] {
  if (qpu_target === '') return tx.list(qpus, { where: { enabled: true } })
  const qpu = tx.find(qpus, qpu_target)
  return qpu ? [qpu] : []
}

/**
 * Counts up to `most` jobs that the QPU would run before this one: those moved to the front, then those of
 * `earlierJobs`.
 */
function countAhead(
  tx: ReadTx,
  job: PendingRow,
  { qpu, slot }: QueueState,
  { most, fair, runMs }: { most: number; fair: FairShare | undefined; runMs: number },
): Pick<CandidateQueue, 'ahead' | 'isLonger'> {
  const params = {
    qpu: qpu.id,
    seq: job.seq,
    user: job.user_id,
    booker: slot?.user ?? '',
    rank: job.run_next,
    limit: most + 1,
    ...fitsParams(qpu),
  }
  const count = ({ jobs, condition }: Counted) =>
    tx.one<{ jobs: number }>(
      `SELECT count(*) AS jobs FROM (SELECT 1 FROM ${jobs}
       WHERE ${QUEUED} AND qpu_target IN ('', $qpu) AND seq <> $seq AND ${FITS_QPU} AND ${condition} LIMIT $limit)`,
      params,
    )?.jobs ?? 0
  const counted =
    job.run_next > 0
      ? [{ jobs: MOVED_TO_FRONT, condition: 'run_next > 0 AND run_next > $rank' }]
      : earlierJobs(job, slot)
  const isFair = fair !== undefined && job.run_next === 0 && slot?.user !== job.user_id
  const ahead = isFair
    ? countFairlyAhead(tx, job, { qpu, slot }, { most, fair, runMs, count })
    : counted.reduce((sum, each) => sum + count(each), 0)
  return { ahead: Math.min(ahead, most), isLonger: ahead > most }
}

/** The jobs moved to the front, those of the booker, and those that precede this one in the fair order. */
function countFairlyAhead(
  tx: ReadTx,
  job: PendingRow,
  { qpu, slot }: Pick<QueueState, 'qpu' | 'slot'>,
  options: { most: number; fair: FairShare; runMs: number; count: (jobs: Counted) => number },
): number {
  const { count, ...rest } = options
  const booked = slot ? count({ jobs: PENDING_BY_USER, condition: 'user_id = $booker' }) : 0
  const movedOfOthers = count({ jobs: MOVED_TO_FRONT, condition: 'run_next > 0 AND user_id <> $booker' })
  const before = countBeforeInFairOrder(tx, job, {
    ...rest,
    qpu,
    except: slot?.user ?? '',
    moved: movedByUser(tx, qpu.id),
  })
  return booked + movedOfOthers + before
}

/** Number of jobs that operators moved to the front, by user. */
export function movedByUser(tx: ReadTx, qpu: string): Map<string, number> {
  const rows = tx.all<{ user: string; jobs: number }>(
    `SELECT user_id AS user, count(*) AS jobs FROM ${MOVED_TO_FRONT}
     WHERE ${QUEUED} AND run_next > 0 AND qpu_target IN ('', $qpu) GROUP BY user_id`,
    { qpu },
  )
  return new Map(rows.map(({ user, jobs }) => [user, jobs]))
}

/** Assumed duration of a job on a QPU that has run none, ms. */
const DEFAULT_RUN_MS = 1_000

/** The typical time of a job, ms; never 0. */
export function typicalMs(times: readonly number[]): number {
  return Math.max(1, times.toSorted((one, other) => one - other)[times.length >> 1] ?? DEFAULT_RUN_MS)
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

/** Whether the running job belongs to the user who has booked the present time. */
export function isBookerRunning(tx: ReadTx, { slot, running }: QueueState): boolean {
  if (!slot || !running) return false
  const owner = tx.one<{ user_id: string }>('SELECT user_id FROM quantum_jobs WHERE id = $id', {
    id: running.job,
  })
  return owner?.user_id === slot.user
}

/** Time from claim to end of the latest jobs on a QPU, ms. */
export function recentMs(tx: ReadTx, qpu: string): number[] {
  const rows = tx.all<{ ms: number }>(
    `SELECT (julianday(ended_at) - julianday(claimed_at)) * 86400000 AS ms FROM
       (SELECT * FROM (SELECT finished_at AS ended_at, claimed_at, 'ok' AS state FROM quantum_jobs
          WHERE ${COMPLETED_HERE} AND qpu = $qpu ORDER BY finished_at DESC LIMIT 20)
        UNION ALL
        SELECT * FROM (SELECT ended_at, claimed_at, state FROM job_attempts
          WHERE qpu = $qpu ORDER BY ended_at DESC LIMIT 20)
        ORDER BY ended_at DESC LIMIT 20)
     WHERE state = 'ok'`,
    { qpu },
  )
  return rows.map((row) => Math.max(0, Math.round(row.ms)))
}
