import type { qpus } from '../../../collections/qpus.ts'
import { QUEUE_COLUMNS, QUEUED } from '../../../collections/quantum_jobs.ts'
import type { ReadTx } from '../../../records/tx.ts'
import type { RecordOf } from '../../../schema/collection.ts'
import { fitsParams, fitsSql } from '../fits-qpu.ts'
import { MAX_BACKOFF_MS } from '../transitions/retry.ts'

/** A QPU, as the queue needs it. */
export type Qpu = RecordOf<typeof qpus>

/** Number of jobs checked in order before the owners are checked one by one. */
export const HEAD_JOBS = 100

/**
 * The condition that a pending job `job` (with its owner `owner`) may run on $qpu now. A pause that ends
 * later than the longest back-off results from a clock that was set back, and counts as over.
 */
export const IS_RUNNABLE = `(job.not_before <= $now OR job.not_before > $now + ${MAX_BACKOFF_MS})
  AND (owner.unlimited = 1 OR owner.qpu_ms > 0)
  AND ${fitsSql('job.seq')}`

/** The parameters of `IS_RUNNABLE`, and the QPU. */
export function runnableParams(tx: ReadTx, qpu: Qpu) {
  return { qpu: qpu.id, ...fitsParams(qpu), now: tx.now }
}

/** Pending jobs by QPU, through a covering index; see `quantumJobs`. */
export const PENDING_BY_QPU = `quantum_jobs INDEXED BY quantum_jobs_qpu_target_seq_user_id_${QUEUE_COLUMNS.join('_')}`
/** Pending jobs by user, through a covering index. */
export const PENDING_BY_USER = `quantum_jobs INDEXED BY quantum_jobs_user_id_seq_qpu_target_${QUEUE_COLUMNS.join('_')}`
/** The few jobs that operators moved to the front. */
export const MOVED_TO_FRONT = `quantum_jobs INDEXED BY quantum_jobs_run_next_seq_user_id_qpu_target_${QUEUE_COLUMNS.join('_')}`

/** The columns of these indexes that decide whether a job may run. */
export const NEEDED = QUEUE_COLUMNS.join(', ')

/** The statements that select the next job; a test asserts that each of them uses an index. */
export const QUEUE_SQL = {
  next: `SELECT job.seq FROM
      (SELECT seq, user_id, qpu_target, ${NEEDED}, run_next FROM ${MOVED_TO_FRONT}
       WHERE ${QUEUED} AND run_next > 0 AND qpu_target IN ('', $qpu)) job
    CROSS JOIN users owner ON owner.id = job.user_id
    WHERE ${IS_RUNNABLE} ORDER BY job.run_next DESC LIMIT 1`,
  ofUser: `SELECT job.seq FROM
      (SELECT seq, user_id, qpu_target, ${NEEDED} FROM ${PENDING_BY_USER}
       WHERE ${QUEUED} AND user_id = $user AND qpu_target IN ('', $qpu)) job
    CROSS JOIN users owner ON owner.id = job.user_id
    WHERE ${IS_RUNNABLE} ORDER BY job.seq LIMIT 1`,
  early: `SELECT job.seq FROM
      (SELECT seq, user_id, qpu_target, ${NEEDED} FROM ${PENDING_BY_QPU}
       WHERE ${QUEUED} AND qpu_target = $target ORDER BY seq LIMIT ${HEAD_JOBS}) job
    CROSS JOIN users owner ON owner.id = job.user_id
    WHERE ${IS_RUNNABLE} ORDER BY job.seq LIMIT 1`,
  scanned: `SELECT count(*) AS scanned FROM
    (SELECT 1 FROM ${PENDING_BY_QPU} WHERE ${QUEUED} AND qpu_target = $target LIMIT ${HEAD_JOBS})`,
  /**
   * For a head without runnable jobs (spent balances, pauses): steps from owner to owner through the index.
   */
  byOwner: `WITH RECURSIVE waiting(id) AS (
      SELECT min(user_id) FROM ${PENDING_BY_USER} WHERE ${QUEUED}
      UNION ALL
      SELECT (SELECT min(user_id) FROM ${PENDING_BY_USER} WHERE ${QUEUED} AND user_id > waiting.id)
      FROM waiting WHERE waiting.id IS NOT NULL)
    SELECT min((SELECT job.seq FROM
      (SELECT seq, qpu_target, ${NEEDED} FROM ${PENDING_BY_USER}
       WHERE ${QUEUED} AND user_id = owner.id AND qpu_target = $target) job
      WHERE ${IS_RUNNABLE} ORDER BY job.seq LIMIT 1)) AS seq
    FROM waiting CROSS JOIN users owner ON owner.id = waiting.id
    WHERE owner.unlimited = 1 OR owner.qpu_ms > 0`,
} as const
