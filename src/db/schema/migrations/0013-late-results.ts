import type { Migration } from '../migrate.ts'

/**
 * The attempt that completed a job after it had been given up returns to the row of the job, like every other
 * that completed one. When its result arrived remains the end of the job.
 */
export const lateResults: Migration = {
  id: 13,
  name: 'late-results',
  statements: [
    `UPDATE quantum_jobs SET claimed_at = claim.claimed_at FROM job_attempts AS claim
     WHERE quantum_jobs.status = 'completed' AND quantum_jobs.claimed_at = '' AND claim.job = quantum_jobs.id
       AND claim.attempt = quantum_jobs.attempt AND claim.state = 'ok'`,
    `DELETE FROM job_attempts WHERE state = 'ok'
       AND EXISTS (SELECT 1 FROM quantum_jobs WHERE id = job AND status = 'completed' AND claimed_at <> '')`,
  ],
}
