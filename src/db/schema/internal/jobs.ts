import { index, internal, keyed, type Table } from '../tables.ts'

/** Tables of jobs beside `quantum_jobs`. */
export const JOBS_TABLES: readonly Table[] = [
  // One claim of a job for a driver; `epoch` is that of the lease at that time.
  internal(
    'job_attempts',
    {
      id: 'TEXT NOT NULL PRIMARY KEY',
      job: 'TEXT NOT NULL',
      attempt: 'INTEGER NOT NULL',
      driver: 'TEXT NOT NULL',
      qpu: 'TEXT NOT NULL',
      epoch: 'INTEGER NOT NULL',
      state: "TEXT NOT NULL CHECK (state IN ('open', 'ok', 'error', 'lost', 'undelivered', 'requeued'))",
      claimed_at: 'TEXT NOT NULL',
      started_at: "TEXT NOT NULL DEFAULT ''",
      ended_at: "TEXT NOT NULL DEFAULT ''",
      execution_ms: 'INTEGER NOT NULL DEFAULT 0',
    },
    ['UNIQUE (job, attempt)'],
    [
      index('job_attempts', ['qpu'], true, "state = 'open'"),
      index('job_attempts', ['qpu', 'ended_at'], false, "ended_at <> ''"),
      index('job_attempts', ['qpu', 'ended_at', 'state'], false, "state IN ('error', 'lost')"),
    ],
  ),
  // One event of a job.
  internal(
    'job_timeline',
    {
      id: 'TEXT NOT NULL PRIMARY KEY',
      job: 'TEXT NOT NULL',
      at: 'TEXT NOT NULL',
      event: 'TEXT NOT NULL',
      attempt: 'INTEGER NOT NULL DEFAULT 0',
      detail: "TEXT NOT NULL DEFAULT ''",
    },
    [],
    [index('job_timeline', ['job'], false)],
  ),
  // A pending job that a QPU cannot run until it is described again.
  keyed(
    'unfit_jobs',
    {
      qpu: 'TEXT NOT NULL',
      job_seq: 'INTEGER NOT NULL REFERENCES quantum_jobs (seq) ON DELETE CASCADE',
      reason: 'TEXT NOT NULL',
    },
    ['PRIMARY KEY (qpu, job_seq)'],
    [index('unfit_jobs', ['job_seq'], false)],
  ),
  // The response to a keyed request, returned again when it is repeated.
  internal(
    'idempotency_keys',
    {
      user: 'TEXT NOT NULL',
      key: 'TEXT NOT NULL',
      route: 'TEXT NOT NULL',
      body_hash: 'TEXT NOT NULL',
      status: 'INTEGER NOT NULL',
      response: 'TEXT NOT NULL',
      at: 'TEXT NOT NULL',
    },
    ['PRIMARY KEY (user, key)'],
    [index('idempotency_keys', ['at'], false)],
  ),
]
