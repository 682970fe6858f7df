import type { ReadTx } from '../../../records/tx.ts'
import { listFairly } from './fair-order.ts'
import type { JobOrder, OpenJob } from './job-order.ts'
import { OrderReading, QpuQueue, queueReads } from './qpu-queue.ts'
import { readStates } from './queue.ts'
import type { CandidateQueue } from './queue-position.ts'

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
  queue: Omit<CandidateQueue, 'ahead'>
}

/**
 * The first queued jobs that a QPU can run, in the order in which they would start: those moved to the front,
 * those of the user who has booked the present time, then the others by fair share or by submission. The cost
 * depends on `limit`, not on the length of the queue. Undefined for an unknown QPU.
 */
export function readQueueHead(
  tx: ReadTx,
  id: string,
  { limit, idleMs, order }: { limit: number; idleMs: number; order: JobOrder },
): QueueHead | undefined {
  const qpu = order.qpus.get(tx, id)
  if (!qpu) return undefined
  const reading = new OrderReading(order, tx, tx.read(queueReads(id)))
  const queue = new QpuQueue(reading, qpu)
  const [read] = readStates(reading, [{ qpu, queue }], idleMs)
  if (!read) return undefined
  const { state, isBookerRunning } = read
  const forecast = order.forecasts.of(tx, id)
  const jobs = inOrder(reading, queue, { booker: state.slot?.user ?? '', limit, runMs: forecast.typicalMs })
  return {
    jobs: jobs.flatMap(({ seq }) => jobAt(tx, seq) ?? []),
    queue: { state, isBookerRunning, forecast },
  }
}

function inOrder(
  { use }: OrderReading,
  queue: QpuQueue,
  { booker, limit, runMs }: { booker: string; limit: number; runMs: number },
): OpenJob[] {
  const { moved } = queue
  // One more for each that is listed already.
  const submitted = (user: string | undefined, most: number) => [...queue.jobs(user).take(most)]
  const booked = booker === '' ? [] : submitted(booker, limit + moved.length)
  const others = use
    ? listFairly({ queue, use, runMs, moved, booker }, limit)
    : submitted(undefined, limit + moved.length + booked.length)
  return [...new Set([...moved, ...booked, ...others])].slice(0, limit)
}

type JobRow = Omit<QueuedJob, 'hasBalance' | 'isNext'> & { hasBalance: number; isNext: number }

function jobAt(tx: ReadTx, seq: number): QueuedJob | undefined {
  const row = tx.one<JobRow>(
    `SELECT job.id, job.user_id AS "user", coalesce(owner.email, '') AS email, job.name, job.shots, job.created,
       job.not_before AS "notBefore", job.run_next > 0 AS "isNext",
       CASE WHEN owner.unlimited = 1 OR owner.qpu_ms > 0 THEN 1 ELSE 0 END AS "hasBalance"
     FROM quantum_jobs job LEFT JOIN users owner ON owner.id = job.user_id WHERE job.seq = $seq`,
    { seq },
  )
  return row && { ...row, hasBalance: row.hasBalance === 1, isNext: row.isNext === 1 }
}
