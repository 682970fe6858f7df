import { fromTimestamp, toTimestamp } from '../../../../base/index.ts'
import { COMPLETED_HERE } from '../../../collections/quantum_jobs.ts'
import { firstOf, mapped, type Query } from '../../../engine/query.ts'
import type { ReadTx } from '../../../records/tx.ts'
import { gateOf, type OpenSession, type SessionGate } from '../../sessions/machine.ts'
import { fitsQpu, type JobNeeds, type QpuLimits } from '../fits-qpu.ts'
import { isPaused } from '../transitions/retry.ts'
import type { Qpu } from './job-order.ts'
import { type OrderReading, QpuQueue, type SlotRow } from './qpu-queue.ts'

/** What a QPU does, and who has booked it, at one instant. */
export interface QpuState {
  qpu: Qpu
  isCalibrating: boolean
  /** The running job and when it was claimed (ms since the epoch). */
  running: { job: string; since: number } | undefined
  /** The current booking; times in ms since the epoch. */
  slot:
    | {
        user: string
        start: number
        end: number
        /**
         * When the booker last submitted a job or one of the booker's jobs ended here, if within the slot and
         * the idle threshold.
         */
        activeAt: number | undefined
        /** The booker's first job that may run now; '' when there is none. */
        job: string
      }
    | undefined
  /** The session that decides who starts, with the first job of its user that may run now, '' without one. */
  session?: (SessionGate & { job: string }) | undefined
}

/** A QPU and the heads of its queue at one instant: the input for choosing its next job. */
export interface QueueState extends QpuState {
  /** The first job that an operator moved to the front and that may run now; '' when there is none. */
  next: string
  /** The first of all jobs that may run now; '' when there is none. */
  job: string
}

/**
 * The queue of a QPU as the order is now, without the jobs that were claimed meanwhile; undefined for an
 * unknown QPU. `idleMs` is how long a booker may pause; `sessions`: the open ones as the transaction has
 * them.
 */
export function queueStateOf(
  reading: OrderReading,
  id: string,
  idleMs: number,
  sessions?: readonly OpenSession[],
): QueueState | undefined {
  const qpu = reading.order.qpus.get(reading.tx, id)
  if (!qpu) return undefined
  const queue = new QpuQueue(reading, qpu)
  const [read] = readStates(reading, [{ qpu, queue }], idleMs, sessions)
  return read && { ...read.state, next: queue.firstMoved()?.id ?? '', job: queue.first()?.id ?? '' }
}

/** The state of a QPU with its queue. */
export interface ReadState {
  state: QpuState
  queue: QpuQueue
  /** Whether the running job belongs to the user who has booked the present time. */
  isBookerRunning: boolean
}

/** What these QPUs do. */
export function readStates(
  reading: OrderReading,
  queues: readonly { qpu: Qpu; queue: QpuQueue }[],
  idleMs: number,
  sessions?: readonly OpenSession[],
): ReadState[] {
  const { tx } = reading
  const { calibrating, slots } = reading.facts
  const running = new Map(reading.facts.running.map((row) => [row.qpu, row]))
  return queues.map(({ qpu, queue }) => {
    const { id } = qpu
    const row = running.get(id)
    const slot = slots.find((each) => each.qpu === '' || each.qpu === id)
    const state: QpuState = {
      qpu,
      isCalibrating: calibrating.has(id),
      running: row && { job: row.job, since: fromTimestamp(row.claimed_at) ?? tx.now },
      slot: slot && readSlot(tx, slot, { qpu, queue, idleMs }),
      session: readSession(reading, { qpu, queue }, sessions),
    }
    return { state, queue, isBookerRunning: slot !== undefined && row?.user === slot.booked_by }
  })
}

function readSession(
  { tx, order }: OrderReading,
  { qpu, queue }: { qpu: Qpu; queue: QpuQueue },
  sessions: readonly OpenSession[] = order.sessions.of(tx, qpu.id),
): QpuState['session'] {
  const gate = gateOf(sessions, tx.now)
  return gate && { ...gate, job: queue.firstOf(gate.user)?.id ?? '' }
}

function readSlot(
  tx: ReadTx,
  slot: SlotRow,
  { qpu, queue, idleMs }: { qpu: Qpu; queue: QpuQueue; idleMs: number },
): QpuState['slot'] {
  const user = slot.booked_by
  const start = fromTimestamp(slot.start_time) ?? tx.now
  const end = fromTimestamp(slot.end_time) ?? tx.now
  // Older activity has no effect, and the bound keeps both searches short.
  const since = Math.max(start, tx.now - idleMs)
  return {
    user,
    start,
    end,
    activeAt: tx.read(lastActivity(user, qpu.id, since)),
    job: queue.firstOf(user)?.id ?? '',
  }
}

/**
 * When a user last submitted a job that may run on a QPU, or one of the user's jobs ended there, if that is
 * not before `since`, ms since the epoch.
 */
export function lastActivity(user: string, qpu: string, since: number): Query<number | undefined> {
  const row = firstOf<{ latest: string | null }>(
    `SELECT max(at) AS latest FROM (
       SELECT created AS at FROM (SELECT created FROM (SELECT created, qpu_target FROM quantum_jobs
         WHERE user_id = $user ORDER BY seq DESC LIMIT 100) newest
         WHERE qpu_target IN ('', $qpu) AND created <= $at LIMIT 1) sent
       UNION ALL
       SELECT finished_at FROM (SELECT finished_at FROM quantum_jobs
         WHERE ${COMPLETED_HERE} AND qpu = $qpu AND finished_at >= $since AND finished_at <= $at AND user_id = $user
         ORDER BY finished_at DESC LIMIT 1) last
       UNION ALL
       SELECT ended_at FROM job_attempts JOIN quantum_jobs job ON job.id = job_attempts.job
         WHERE job_attempts.qpu = $qpu AND ended_at >= $since AND job.user_id = $user) moments
     WHERE at >= $since AND at <= $at`,
    { user, qpu, since: toTimestamp(since) },
  )
  return mapped(row, (found) => fromTimestamp(found?.latest ?? ''))
}

/** The properties of a pending job that determine whether it may run. */
interface PendingJob {
  target: string
  needs: JobNeeds
  /** Earliest next run, ms since the epoch; 0 = any time. */
  notBefore: number
  owner: { unlimited: boolean; balanceMs: number }
}

/** The rule of the queue, for simulations without a database; a test compares both. */
export function mayRun(
  { target, needs, notBefore, owner }: PendingJob,
  qpu: QpuLimits & Pick<Qpu, 'id'>,
  now: number,
): boolean {
  if (target !== '' && target !== qpu.id) return false
  if (isPaused(notBefore, now)) return false
  if (!owner.unlimited && owner.balanceMs <= 0) return false
  return fitsQpu(needs, qpu)
}
