import type { Table } from '../../engine/stored-schema.ts'
import { index, internal, keyed } from '../tables.ts'

/** Tables of jobs beside `quantum_jobs`. */
export const JOBS_TABLES: readonly Table[] = [
  // One claim of a job for a driver that did not complete it; `epoch` is that of the lease at that time. The
  // claim that runs or has completed a job is in its row.
  keyed(
    'job_attempts',
    {
      job: 'TEXT NOT NULL',
      attempt: 'INTEGER NOT NULL',
      driver: 'TEXT NOT NULL',
      qpu: 'TEXT NOT NULL',
      epoch: 'INTEGER NOT NULL',
      state: "TEXT NOT NULL CHECK (state IN ('ok', 'error', 'lost', 'undelivered', 'requeued'))",
      claimed_at: 'TEXT NOT NULL',
      started_at: 'TEXT NOT NULL',
      ended_at: 'TEXT NOT NULL',
      provenance: 'INTEGER NOT NULL DEFAULT 0',
    },
    ['PRIMARY KEY (job, attempt)'],
    [
      index('job_attempts', ['provenance'], false, 'provenance > 0'),
      index('job_attempts', ['qpu', 'ended_at'], false),
      index('job_attempts', ['qpu', 'ended_at', 'state'], false, "state IN ('error', 'lost')"),
    ],
  ),
  // What attempts ran with, once per distinct content, as long as a job refers to it.
  // `report` is the calibration in force when the attempt began, `report_after` when it ended; '' = none.
  internal(
    'job_provenance',
    {
      id: 'INTEGER PRIMARY KEY',
      hash: 'TEXT NOT NULL',
      report: 'TEXT NOT NULL',
      report_after: 'TEXT NOT NULL',
      body: 'TEXT NOT NULL',
    },
    [],
    [
      index('job_provenance', ['hash'], true),
      index('job_provenance', ['report'], false),
      index('job_provenance', ['report_after'], false),
    ],
  ),
  // Results of single circuits of the last attempt of a job that has not completed; `position` is
  // that in the results of the whole job, `place` the order of their arrival.
  keyed(
    'partial_results',
    {
      job_seq: 'INTEGER NOT NULL REFERENCES quantum_jobs (seq) ON DELETE CASCADE',
      position: 'INTEGER NOT NULL',
      place: 'INTEGER NOT NULL',
      bytes: 'INTEGER NOT NULL',
      body: 'TEXT NOT NULL',
    },
    ['PRIMARY KEY (job_seq, position)'],
  ),
  // A pending job that a QPU cannot run until it is described again or calibrated.
  keyed(
    'unfit_jobs',
    {
      qpu: 'TEXT NOT NULL',
      job_seq: 'INTEGER NOT NULL REFERENCES quantum_jobs (seq) ON DELETE CASCADE',
      reason: 'TEXT NOT NULL',
      code: "TEXT NOT NULL DEFAULT 'not_calibrated'",
    },
    ['PRIMARY KEY (qpu, job_seq)'],
    [index('unfit_jobs', ['job_seq'], false)],
  ),
  // Until when a job may wait; removed when that has come, whether it runs or is given up.
  keyed(
    'job_deadlines',
    {
      job_seq: 'INTEGER NOT NULL REFERENCES quantum_jobs (seq) ON DELETE CASCADE',
      at: 'TEXT NOT NULL',
    },
    ['PRIMARY KEY (job_seq)'],
    [index('job_deadlines', ['at'], false)],
  ),
  // How many estimates of one QPU were right in one month (UTC), and the sums of their widths and of the
  // time that the jobs ran, in ms; see `store/jobs/forecast/scores.ts`.
  keyed(
    'quote_scores',
    {
      qpu: 'TEXT NOT NULL',
      month: 'TEXT NOT NULL',
      run_ms: 'INTEGER NOT NULL',
      run_quoted: 'INTEGER NOT NULL',
      run_right: 'INTEGER NOT NULL',
      run_width: 'INTEGER NOT NULL',
      start_quoted: 'INTEGER NOT NULL',
      start_right: 'INTEGER NOT NULL',
      start_width: 'INTEGER NOT NULL',
    },
    ['PRIMARY KEY (qpu, month)'],
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
