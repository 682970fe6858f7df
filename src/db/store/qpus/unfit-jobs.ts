import { qpus } from '../../collections/qpus.ts'
import { quantumJobs } from '../../collections/quantum_jobs.ts'
import { allOf, mapped, type Query } from '../../engine/query.ts'
import type { Tx } from '../../records/tx.ts'

/** Maximum length of a reason. */
const MAX_REASON_LENGTH = 1_000

/**
 * Why a QPU cannot run a pending job now: what the job needs of the chip is not calibrated, or does not meet
 * the condition of the job, or the job passes a limit of the device.
 */
export interface Unfitness {
  code: 'not_calibrated' | 'below_quality' | 'beyond_limit'
  /** Part of a sentence. */
  reason: string
}

/**
 * Keeps a pending job from a QPU until that is described again or another calibration is known.
 */
export function markUnfit(tx: Tx, job: string, { qpu, code, reason }: Unfitness & { qpu: string }): void {
  tx.run(
    `INSERT INTO unfit_jobs (qpu, job_seq, code, reason)
     SELECT $qpu, seq, $code, $reason FROM quantum_jobs WHERE id = $job
     ON CONFLICT (qpu, job_seq) DO UPDATE SET code = excluded.code, reason = excluded.reason`,
    { qpu, job, code, reason: reason.slice(0, MAX_REASON_LENGTH) },
  )
  tx.changed(quantumJobs, job, 'update')
}

/** A QPU has another description or none any more, or was calibrated: every job may fit it again. */
export function forgetUnfit(tx: Tx, qpu: string): void {
  const forgotten = tx.run('DELETE FROM unfit_jobs WHERE qpu = $qpu', { qpu })
  // Its queue is read again.
  if (forgotten > 0 && tx.find(qpus, qpu)) tx.changed(qpus, qpu, 'update')
}

/** Why a job is kept from QPUs, by id of the QPU. */
export function unfitnessOfJob(job: string): Query<ReadonlyMap<string, Unfitness>> {
  const rows = allOf<Unfitness & { qpu: string }>(
    `SELECT qpu, code, reason FROM unfit_jobs
     WHERE job_seq = (SELECT seq FROM quantum_jobs WHERE id = $job)`,
    { job },
  )
  return mapped(rows, (found) => new Map(found.map(({ qpu, ...why }) => [qpu, why])))
}
