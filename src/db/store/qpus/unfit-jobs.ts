import { quantumJobs } from '../../collections/quantum_jobs.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'

/** Maximum length of a reason. */
const MAX_REASON_LENGTH = 1_000

/**
 * Keeps a pending job from a QPU until that is described again: its chip has changed, and what the job needs
 * of it is not calibrated.
 */
export function markUnfit(tx: Tx, job: string, { qpu, reason }: { qpu: string; reason: string }): void {
  tx.run(
    `INSERT INTO unfit_jobs (qpu, job_seq, reason)
     SELECT $qpu, seq, $reason FROM quantum_jobs WHERE id = $job
     ON CONFLICT (qpu, job_seq) DO UPDATE SET reason = excluded.reason`,
    { qpu, job, reason: reason.slice(0, MAX_REASON_LENGTH) },
  )
  tx.changed(quantumJobs, job, 'update')
}

/** A QPU has another description, or none any more: every job may fit it again. */
export function forgetUnfit(tx: Tx, qpu: string): void {
  tx.run('DELETE FROM unfit_jobs WHERE qpu = $qpu', { qpu })
}

/** Why a job is kept from QPUs, by id of the QPU. */
export function unfitReasons(tx: ReadTx, seq: number): ReadonlyMap<string, string> {
  const sql = 'SELECT qpu, reason FROM unfit_jobs WHERE job_seq = $seq'
  return new Map(
    tx.all<{ qpu: string; reason: string }>(sql, { seq }).map(({ qpu, reason }) => [qpu, reason]),
  )
}
