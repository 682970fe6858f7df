import type { Migration } from '../../migrate.ts'

/**
 * Attempts may end in the state `requeued`. SQLite can change a CHECK constraint only by rebuilding the
 * table.
 */
export const requeuedAttempts: Migration = {
  id: 1,
  name: 'requeued-attempts',
  statements: [
    'ALTER TABLE job_attempts RENAME TO job_attempts_before',
    `CREATE TABLE "job_attempts" (
  "id" TEXT NOT NULL PRIMARY KEY,
  "job" TEXT NOT NULL,
  "attempt" INTEGER NOT NULL,
  "driver" TEXT NOT NULL,
  "qpu" TEXT NOT NULL,
  "epoch" INTEGER NOT NULL,
  "state" TEXT NOT NULL CHECK (state IN ('open', 'ok', 'error', 'lost', 'undelivered', 'requeued')),
  "claimed_at" TEXT NOT NULL,
  "started_at" TEXT NOT NULL DEFAULT '',
  "ended_at" TEXT NOT NULL DEFAULT '',
  "execution_ms" INTEGER NOT NULL DEFAULT 0,
  UNIQUE (job, attempt)
) STRICT`,
    'INSERT INTO job_attempts SELECT * FROM job_attempts_before ORDER BY rowid',
    'DROP TABLE job_attempts_before',
  ],
}
