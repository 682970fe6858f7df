import { toTimestamp } from '../../../../base/index.ts'
import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import { firstOf, mapped, type Query } from '../../../engine/query.ts'
import { appendTimeline } from '../../../journal/timeline.ts'
import type { ReadTx, Tx } from '../../../records/tx.ts'
import { unfitnessOfJob } from '../../qpus/unfit-jobs.ts'
import { announceJobEnd } from '../announce-end.ts'

/** Until when a job may wait, ms since the epoch. */
export function setDeadline(tx: Tx, job: string, ms: number): void {
  tx.post('INSERT INTO job_deadlines (job_seq, at) SELECT seq, $at FROM quantum_jobs WHERE id = $job', {
    job,
    at: toTimestamp(ms),
  })
}

/** Until when a job may wait, UTC text; undefined without such a time, and when it has ended after it. */
export function deadlineOf(job: string): Query<string | undefined> {
  const row = firstOf<{ at: string }>(
    'SELECT at FROM job_deadlines WHERE job_seq = (SELECT seq FROM quantum_jobs WHERE id = $job)',
    { job },
  )
  return mapped(row, (deadline) => deadline?.at)
}

/** So long after the last sign of a lost attempt its driver may still deliver a result, ms. */
const LATE_RESULT_MS = 600_000

/**
 * Jobs that may wait no longer, at most `limit`, the earliest first. Those that run are not among them, nor
 * those whose last attempt is silent: its result may still arrive.
 */
export function listDueJobs(tx: ReadTx, limit: number): string[] {
  return tx
    .all<{ id: string }>(
      `SELECT job.id FROM job_deadlines deadline JOIN quantum_jobs job ON job.seq = deadline.job_seq
       WHERE deadline.at <= $at AND job.status <> 'running' AND NOT EXISTS (SELECT 1 FROM job_attempts tried
         WHERE tried.job = job.id AND tried.attempt = job.attempt AND job.status = 'pending'
           AND tried.state = 'lost' AND tried.ended_at > $silent)
       ORDER BY deadline.at LIMIT $limit`,
      { at: tx.at, silent: toTimestamp(tx.now - LATE_RESULT_MS), limit },
    )
    .map(({ id }) => id)
}

/**
 * T11: fails a job that still waits, for the first time or again, with what kept it from QPUs.
 */
export function giveUp(tx: Tx, id: string): void {
  const { job, unfitness } = tx.read({
    job: firstOf<{ seq: number; attempt: number }>('SELECT seq, attempt FROM quantum_jobs WHERE id = $id', {
      id,
    }),
    unfitness: unfitnessOfJob(id),
  })
  if (!job) return
  tx.post('DELETE FROM job_deadlines WHERE job_seq = $seq', { seq: job.seq })
  const [why] = unfitness.values()
  const error = `Given up: the job was waiting at the end of its give_up_after${why ? `; ${why.reason}` : ''}`
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = 'failed', results = $results, error_code = 'given_up', finished_at = $at,
       not_before = 0, held = 0, hold_reason = '', updated = $at
     WHERE id = $id AND status = 'pending'`,
    { id, at: tx.at, results: JSON.stringify({ error, error_code: 'given_up' }) },
  )
  if (changed === 0) return
  appendTimeline(tx, id, { event: 'failed', attempt: job.attempt, detail: 'given_up' })
  announceJobEnd(tx, id)
  tx.changed(quantumJobs, id, 'update')
}
