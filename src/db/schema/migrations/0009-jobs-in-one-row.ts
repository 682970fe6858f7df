import type { Migration } from '../migrate.ts'

const CLAIM = "CHECK (claimed_at = '' OR status IN ('running', 'completed'))"

/**
 * The claim that runs or has completed a job, and its events, move into its row: an end writes one row
 * instead of five. The other claims remain in their table, without numbers of their own.
 */
export const jobsInOneRow: Migration = {
  id: 9,
  name: 'jobs-in-one-row',
  rules: [
    {
      table: 'job_attempts',
      text: 'An open attempt is the last one of a running job',
      broken: `state = 'open' AND NOT EXISTS (SELECT 1 FROM quantum_jobs AS owner
        WHERE owner.id = job AND owner.status = 'running' AND owner.attempt = job_attempts.attempt)`,
      shown: ['job', 'attempt'],
    },
    {
      table: 'quantum_jobs',
      text: 'A running job has its last attempt open',
      broken: `status = 'running' AND NOT EXISTS (SELECT 1 FROM job_attempts AS claim
        WHERE claim.job = quantum_jobs.id AND claim.attempt = quantum_jobs.attempt AND claim.state = 'open')`,
      shown: ['status', 'attempt'],
    },
  ],
  statements: [
    { table: 'quantum_jobs', column: `"claimed_at" TEXT NOT NULL DEFAULT ''` },
    { table: 'quantum_jobs', column: '"epoch" INTEGER NOT NULL DEFAULT 0' },
    { table: 'quantum_jobs', column: `"history" TEXT NOT NULL DEFAULT ''` },
    `UPDATE quantum_jobs SET claimed_at = claim.claimed_at, epoch = claim.epoch, driver = claim.driver,
       qpu = claim.qpu
     FROM job_attempts AS claim
     WHERE claim.job = quantum_jobs.id AND claim.attempt = quantum_jobs.attempt AND
       (claim.state = 'open' AND status = 'running'
        OR claim.state = 'ok' AND status = 'completed' AND claim.ended_at = finished_at)`,
    `UPDATE quantum_jobs SET history = coalesce(
       (SELECT group_concat(json_array(at, event, attempt, detail), ',' ORDER BY entry.rowid)
        FROM job_timeline AS entry WHERE entry.job = quantum_jobs.id), '')`,
    `ALTER TABLE "quantum_jobs" ADD CONSTRAINT "quantum_jobs_claim" ${CLAIM}`,
    'ALTER TABLE job_attempts RENAME TO job_attempts_before',
    `CREATE TABLE "job_attempts" (
  "job" TEXT NOT NULL,
  "attempt" INTEGER NOT NULL,
  "driver" TEXT NOT NULL,
  "qpu" TEXT NOT NULL,
  "epoch" INTEGER NOT NULL,
  "state" TEXT NOT NULL CHECK (state IN ('ok', 'error', 'lost', 'undelivered', 'requeued')),
  "claimed_at" TEXT NOT NULL,
  "started_at" TEXT NOT NULL,
  "ended_at" TEXT NOT NULL,
  PRIMARY KEY (job, attempt)
) STRICT, WITHOUT ROWID`,
    `INSERT INTO job_attempts
     SELECT job, attempt, driver, qpu, epoch, state, claimed_at, started_at, ended_at
     FROM job_attempts_before AS claim
     WHERE NOT EXISTS (SELECT 1 FROM quantum_jobs
       WHERE id = claim.job AND quantum_jobs.attempt = claim.attempt AND claimed_at <> '')`,
    'DROP TABLE job_attempts_before',
    'DROP TABLE job_timeline',
  ],
}
