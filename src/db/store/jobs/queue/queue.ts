import { fromTimestamp, toTimestamp } from '../../../../base/index.ts'
import { qpus } from '../../../collections/qpus.ts'
import { COMPLETED_HERE } from '../../../collections/quantum_jobs.ts'
import type { ReadTx } from '../../../records/tx.ts'
import type { RecordOf } from '../../../schema/collection.ts'
import { calibratingQpus } from '../../qpus/qpus.ts'
import { fitsQpu, type JobNeeds, type QpuLimits } from '../fits-qpu.ts'
import { MAX_BACKOFF_MS } from '../transitions/retry.ts'
import { firstInFairOrder } from './fair-queue.ts'
import type { FairShare } from './fair-share.ts'
import { HEAD_JOBS, QUEUE_SQL, runnableParams } from './queue-sql.ts'

/** A QPU and the heads of its queue at one instant: the input for choosing its next job. */
export interface QueueState {
  qpu: RecordOf<typeof qpus>
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
  /** The first job that an operator moved to the front and that may run now; '' when there is none. */
  next: string
  /** The first of all jobs that may run now; '' when there is none. */
  job: string
}

/**
 * Reads the queue of one QPU; undefined when the QPU does not exist. `idleMs` is how long a booker may pause.
 * With `fair`, the first of all jobs is that of the user with the least recent use.
 */
export function readQueue(tx: ReadTx, id: string, idleMs: number, fair?: FairShare): QueueState | undefined {
  const qpu = tx.find(qpus, id)
  if (!qpu) return undefined
  const running = tx.one<{ job: string; claimed_at: string }>(
    `SELECT id AS job, claimed_at FROM quantum_jobs WHERE status = 'running' AND qpu = $id`,
    { id },
  )
  return {
    qpu,
    isCalibrating: calibratingQpus(tx).has(id),
    running: running && { job: running.job, since: fromTimestamp(running.claimed_at) ?? tx.now },
    slot: readSlot(tx, qpu, idleMs),
    next: idOf(tx, tx.one<{ seq: number }>(QUEUE_SQL.next, runnableParams(tx, qpu))?.seq),
    job: fair ? idOf(tx, firstInFairOrder(tx, qpu, fair)) : firstOfAll(tx, qpu),
  }
}

function readSlot(tx: ReadTx, qpu: QueueState['qpu'], idleMs: number): QueueState['slot'] {
  const slot = tx.one<{ booked_by: string; start_time: string; end_time: string }>(
    `SELECT booked_by, start_time, end_time FROM time_slots
     WHERE end_time > $at AND start_time <= $at AND qpu IN ('', $qpu) LIMIT 1`,
    { at: tx.at, qpu: qpu.id },
  )
  if (!slot) return undefined
  const user = slot.booked_by
  const start = fromTimestamp(slot.start_time) ?? tx.now
  const end = fromTimestamp(slot.end_time) ?? tx.now
  // Older activity has no effect, and the bound keeps both searches short.
  const since = toTimestamp(Math.max(start, tx.now - idleMs))
  return {
    user,
    start,
    end,
    activeAt: lastActivity(tx, user, qpu.id, since),
    job: firstOfUser(tx, user, qpu),
  }
}

function lastActivity(tx: ReadTx, user: string, qpu: string, since: string): number | undefined {
  const row = tx.one<{ latest: string | null }>(
    `SELECT max(at) AS latest FROM (
       SELECT created AS at FROM (SELECT created, qpu_target FROM quantum_jobs
         WHERE user_id = $user ORDER BY seq DESC LIMIT 100) WHERE qpu_target IN ('', $qpu)
       UNION ALL
       SELECT finished_at FROM quantum_jobs
         WHERE ${COMPLETED_HERE} AND qpu = $qpu AND finished_at >= $since AND user_id = $user
       UNION ALL
       SELECT ended_at FROM job_attempts JOIN quantum_jobs job ON job.id = job_attempts.job
         WHERE job_attempts.qpu = $qpu AND ended_at >= $since AND job.user_id = $user)
     WHERE at >= $since AND at <= $now`,
    { user, qpu, since, now: tx.at },
  )
  return row?.latest ? fromTimestamp(row.latest) : undefined
}

/** The properties of a pending job that determine whether it may run. */
interface PendingJob {
  target: string
  needs: JobNeeds
  /** Earliest next run, ms since the epoch; 0 = any time. */
  notBefore: number
  owner: { unlimited: boolean; balanceMs: number }
}

/** The rule of `IS_RUNNABLE` and of the target, for simulations without a database; a test compares both. */
export function mayRun(
  { target, needs, notBefore, owner }: PendingJob,
  qpu: QpuLimits & Pick<QueueState['qpu'], 'id'>,
  now: number,
): boolean {
  if (target !== '' && target !== qpu.id) return false
  if (notBefore > now && notBefore <= now + MAX_BACKOFF_MS) return false
  if (!owner.unlimited && owner.balanceMs <= 0) return false
  return fitsQpu(needs, qpu)
}

function firstOfUser(tx: ReadTx, user: string, qpu: QueueState['qpu']): string {
  const row = tx.one<{ seq: number }>(QUEUE_SQL.ofUser, { user, ...runnableParams(tx, qpu) })
  return idOf(tx, row?.seq)
}

/** The first job in order of submission that may run. Fast for any length and any head of the queue. */
function firstOfAll(tx: ReadTx, qpu: QueueState['qpu']): string {
  const heads = ['', qpu.id].map((target) => firstFor(tx, qpu, target)).filter((seq) => seq !== undefined)
  return idOf(tx, heads.length === 0 ? undefined : Math.min(...heads))
}

function firstFor(tx: ReadTx, qpu: QueueState['qpu'], target: string): number | undefined {
  const params = { target, ...runnableParams(tx, qpu) }
  const early = tx.one<{ seq: number }>(QUEUE_SQL.early, params)
  if (early) return early.seq
  const { scanned } = tx.one<{ scanned: number }>(QUEUE_SQL.scanned, { target }) ?? { scanned: 0 }
  if (scanned < HEAD_JOBS) return undefined
  return tx.one<{ seq: number | null }>(QUEUE_SQL.byOwner, params)?.seq ?? undefined
}

function idOf(tx: ReadTx, seq: number | undefined): string {
  if (seq === undefined) return ''
  return tx.one<{ id: string }>('SELECT id FROM quantum_jobs WHERE seq = $seq', { seq })?.id ?? ''
}
