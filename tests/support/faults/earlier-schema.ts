import type { Database as Sqlite } from 'bun:sqlite'
import { ATTEMPTS } from '../../../src/db/store/jobs/attempts.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'

function dropTriggers(db: Sqlite): void {
  const triggers = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'trigger'")
  for (const { name } of triggers.all()) db.run(`DROP TRIGGER "${name}"`)
}

/** Takes ledger and users of a database back to the schema before migration 17. */
function restoreIds(db: Sqlite): void {
  db.run('ALTER TABLE qpu_ledger RENAME TO later_ledger')
  db.run(`CREATE TABLE qpu_ledger (
    "id" TEXT NOT NULL PRIMARY KEY,
    "user" TEXT NOT NULL,
    "kind" TEXT NOT NULL CHECK (kind IN ('charge', 'grant', 'admin', 'opening', 'refund')),
    "source_id" TEXT NOT NULL,
    "delta_ms" INTEGER NOT NULL,
    "at" TEXT NOT NULL,
    "qpu" TEXT NOT NULL DEFAULT '',
    "used_ms" INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, source_id)
  ) STRICT`)
  db.run('INSERT INTO qpu_ledger SELECT kind || source_id, * FROM later_ledger')
  db.run('DROP TABLE later_ledger')
  db.run(
    'CREATE TABLE user_bytes ("user" TEXT NOT NULL PRIMARY KEY, "bytes" INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  )
  db.run('INSERT INTO user_bytes SELECT id, job_bytes FROM users')
  db.run('ALTER TABLE users DROP COLUMN job_bytes')
}

/** Takes the jobs of a database back to the schema before migration 9: attempts and events in tables. */
export function splitJobs(db: Sqlite): void {
  dropTriggers(db)
  restoreIds(db)
  db.run(`CREATE TABLE earlier_attempts (
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
  ) STRICT`)
  db.run(`INSERT INTO earlier_attempts
    SELECT job || attempt, job, attempt, driver, qpu, epoch, state, claimed_at, started_at, ended_at, 0
    FROM ${ATTEMPTS} ORDER BY claimed_at`)
  db.run('DROP TABLE job_attempts')
  db.run('ALTER TABLE earlier_attempts RENAME TO job_attempts')
  db.run(`CREATE TABLE job_timeline (
    "id" TEXT NOT NULL PRIMARY KEY,
    "job" TEXT NOT NULL,
    "at" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "detail" TEXT NOT NULL DEFAULT ''
  ) STRICT`)
  db.run(`INSERT INTO job_timeline
    SELECT job.id || event.key, job.id, event.value ->> 0, event.value ->> 1, event.value ->> 2, event.value ->> 3
    FROM quantum_jobs job, json_each('[' || job.history || ']') event ORDER BY event.key`)
  db.run('DROP INDEX quantum_jobs_qpu_finished_at')
  db.run('ALTER TABLE quantum_jobs DROP CONSTRAINT quantum_jobs_claim')
  for (const column of ['claimed_at', 'epoch', 'history'])
    db.run(`ALTER TABLE quantum_jobs DROP COLUMN ${column}`)
  db.run('DROP TABLE sums_watermark')
  db.run('DELETE FROM migrations WHERE id >= 9')
}

/** Takes the jobs of a database back to the schema before migration 7. */
export function dropJobChecks(db: Sqlite): void {
  splitJobs(db)
  // It came later, and migration 6 drops its column.
  db.run('DROP INDEX calibration_results_qpu_finished_at')
  for (const name of Object.keys(quantumJobs.checks).filter((each) => each !== 'claim')) {
    db.run(`ALTER TABLE quantum_jobs DROP CONSTRAINT "quantum_jobs_${name}"`)
  }
}
