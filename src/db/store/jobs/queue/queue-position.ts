import { firstOf, type Values } from '../../../engine/query.ts'
import type { ReadTx } from '../../../records/tx.ts'
import { type Unfitness, unfitnessOfJob } from '../../qpus/unfit-jobs.ts'
import { type Excess, excessOf, type JobNeeds } from '../fits-qpu.ts'
import type { Forecast } from '../forecast/forecast.ts'
import type { Job } from '../jobs.ts'
import { countBeforeFairly } from './fair-order.ts'
import type { JobOrder, Qpu } from './job-order.ts'
import { OrderReading, QpuQueue, queueReads } from './qpu-queue.ts'
import { type QpuState, type ReadState, readStates } from './queue.ts'

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
  /** The QPUs of its target that cannot run it; `unfit`: why their chips cannot now. */
  excluded: { qpu: Qpu; excess: Excess[]; unfit: Unfitness | undefined }[]
}

export interface CandidateQueue {
  state: QpuState
  /** Number of pending jobs that this QPU would run before it, whether or not they may run now. */
  ahead: number
  /** Whether the running job belongs to the user who has booked the current slot. */
  isBookerRunning: boolean
  /** What is expected of the jobs of this QPU. */
  forecast: Pick<Forecast, 'recentMs' | 'waits'>
}

interface PendingRow extends JobNeeds {
  seq: number
  user_id: string
  qpu_target: string
  not_before: number
  has_balance: number
  held: number
  hold_reason: string
  run_next: number
}

/** What the place of a pending job depends on. */
export function queuePositionReads({ id, qpu_target: target }: Pick<Job, 'id' | 'qpu_target'>) {
  return {
    row: firstOf<PendingRow>(
      `SELECT job.seq, job.user_id, job.qpu_target, job.not_before,
         job.qubits, job.shots, job.executions, job.features,
         job.held, job.hold_reason, job.run_next,
         CASE WHEN owner.unlimited = 1 OR owner.qpu_ms > 0 THEN 1 ELSE 0 END AS has_balance
       FROM quantum_jobs job LEFT JOIN users owner ON owner.id = job.user_id
       WHERE job.id = $id AND job.status = 'pending'`,
      { id },
    ),
    unfit: unfitnessOfJob(id),
    queues: queueReads(target),
  }
}

/** The place of a job in its queues, by its `queuePositionReads`; undefined when it is not pending. */
export function queuePositionOf(
  tx: ReadTx,
  order: JobOrder,
  { row, unfit, queues }: Values<ReturnType<typeof queuePositionReads>>,
  idleMs: number,
): QueuePositionInput | undefined {
  return row && positionOf(new OrderReading(order, tx, queues), row, { idleMs, unfit })
}

/** Without special needs. */
const NO_NEEDS: JobNeeds = { qubits: 0, shots: 0, executions: 0, features: 0 }

interface NewJobPosition {
  user: string
  /** Id of a QPU; '' = any. */
  qpu: string
  needs?: JobNeeds | undefined
  /** By id of a QPU, why its chip cannot run the job now. */
  unfit?: ReadonlyMap<string, Unfitness> | undefined
}

const NONE_UNFIT: ReadonlyMap<string, Unfitness> = new Map()

/** The queue of a QPU, or of any (''), for a job that `user`, '' = any user, submits to it now. */
export function newPosition(
  reading: OrderReading,
  { user, qpu, needs = NO_NEEDS, unfit = NONE_UNFIT }: NewJobPosition,
  idleMs: number,
): QueuePositionInput {
  const job = { seq: Number.MAX_SAFE_INTEGER, user_id: user, qpu_target: qpu, not_before: 0 }
  const state = { has_balance: 1, held: 0, hold_reason: '', run_next: 0 }
  return positionOf(reading, { ...job, ...needs, ...state }, { idleMs, unfit })
}

function positionOf(
  reading: OrderReading,
  row: PendingRow,
  { idleMs, unfit }: { idleMs: number; unfit: ReadonlyMap<string, Unfitness> },
): QueuePositionInput {
  const targets = targetsOf(reading, row.qpu_target).map((qpu) => {
    return { qpu, excess: excessOf(row, qpu), unfit: unfit.get(qpu.id) }
  })
  const fits = ({ excess, unfit: reason }: (typeof targets)[number]) =>
    excess.length === 0 && reason === undefined
  const fitting = targets.filter(fits).map(({ qpu }) => ({ qpu, queue: new QpuQueue(reading, qpu) }))
  return {
    job: {
      user: row.user_id,
      notBefore: row.not_before,
      hasBalance: row.has_balance === 1,
      held: row.held === 1 ? row.hold_reason : undefined,
      isNext: row.run_next > 0,
    },
    queues: readStates(reading, fitting, idleMs).map((read) => candidateOf(reading, row, read)),
    excluded: targets.filter((each) => !fits(each)),
  }
}

/** The QPU that a job is for, or all enabled ones. */
function targetsOf({ order, tx }: OrderReading, target: string): readonly Qpu[] {
  return order.qpus.list(tx).filter(({ id, enabled }) => (target === '' ? enabled : id === target))
}

function candidateOf(
  { order, tx, use }: OrderReading,
  row: PendingRow,
  { state, queue, isBookerRunning }: ReadState,
): CandidateQueue {
  const forecast = order.forecasts.of(tx, state.qpu.id)
  // A booking goes before a session; inside one's own both are the same user's.
  const booker = state.slot?.user ?? state.session?.user ?? ''
  const job = { seq: row.seq, user: row.user_id, runNext: row.run_next }
  const isFair = use !== undefined && job.runNext === 0 && job.user !== booker
  return {
    state,
    ahead: isFair
      ? countFairlyAhead(job, { queue, booker, use, runMs: forecast.typicalMs })
      : countAhead(job, queue, booker),
    isBookerRunning,
    forecast,
  }
}

/** A job whose place in a queue is counted. */
interface Place {
  seq: number
  user: string
  runNext: number
}

/** Counts the jobs that precede this one by booking and submission, and those moved to the front. */
function countAhead({ seq, user, runNext }: Place, queue: QpuQueue, booker: string): number {
  const { moved } = queue
  if (runNext > 0) return moved.filter((job) => job.runNext > runNext).length
  const isBooker = booker !== '' && booker === user
  // The booker's jobs go first, whenever they were submitted.
  const later = booker === '' || isBooker ? 0 : queue.count(booker) - queue.count(booker, seq)
  const isCounted = (job: Place) =>
    isBooker ? job.seq < seq && job.user === user : job.seq < seq || job.user === booker
  return queue.count(isBooker ? user : undefined, seq) + later + moved.filter((job) => !isCounted(job)).length
}

/** Counts the jobs moved to the front, those of the booker, and those before this one in the fair order. */
function countFairlyAhead(
  job: Place,
  { queue, booker, ...order }: Omit<Parameters<typeof countBeforeFairly>[1], 'moved'>,
): number {
  const { moved } = queue
  const booked = booker === '' ? 0 : queue.count(booker)
  const movedOfOthers = moved.filter(({ user }) => user !== booker).length
  return booked + movedOfOthers + countBeforeFairly(job, { ...order, queue, booker, moved })
}
