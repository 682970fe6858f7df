import type { Migration } from '../migrate.ts'

/** Running jobs name their QPU, by which one index finds them; those claimed by old versions did not. */
export const runningQpu: Migration = {
  id: 8,
  name: 'running-qpu',
  statements: [
    { table: 'quantum_jobs', column: `"qpu" TEXT NOT NULL DEFAULT ''` },
    `UPDATE quantum_jobs SET qpu = coalesce((SELECT qpu FROM job_attempts claim
       WHERE claim.job = quantum_jobs.id AND claim.attempt = quantum_jobs.attempt), '')
     WHERE status = 'running' AND qpu = ''`,
  ],
}
