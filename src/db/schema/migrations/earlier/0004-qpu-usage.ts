import type { Migration } from '../../migrate.ts'

/** The QPU that ran the last attempt of the job `id`. */
const lastQpu = (id: string) =>
  `coalesce((SELECT qpu FROM job_attempts WHERE job = ${id} ORDER BY attempt DESC LIMIT 1), '')`

/** Adds up the usage of earlier jobs; from here on the end of each job does. */
export const qpuUsage: Migration = {
  id: 4,
  name: 'qpu-usage',
  statements: [
    `CREATE TABLE "qpu_usage" (
  "user" TEXT NOT NULL,
  "month" TEXT NOT NULL,
  "qpu" TEXT NOT NULL,
  "jobs" INTEGER NOT NULL,
  "used_ms" INTEGER NOT NULL,
  "charged_ms" INTEGER NOT NULL,
  PRIMARY KEY (user, month, qpu)
) STRICT, WITHOUT ROWID`,
    `INSERT INTO qpu_usage (user, month, qpu, jobs, used_ms, charged_ms)
       SELECT user, month, qpu, count(*), sum(used), sum(charged) FROM (
         SELECT user, substr(at, 1, 7) AS month, ${lastQpu('source_id')} AS qpu,
           0 - delta_ms AS used, 0 - delta_ms AS charged
         FROM qpu_ledger WHERE kind = 'charge'
         UNION ALL
         SELECT user_id, substr(finished_at, 1, 7), ${lastQpu('job.id')},
           CAST(round(duration * 1000) AS INTEGER), 0
         FROM quantum_jobs job JOIN users ON users.id = job.user_id AND users.unlimited = 1
         WHERE job.attempt > 0 AND (job.status = 'completed' OR job.status = 'failed' AND duration > 0))
       GROUP BY user, month, qpu`,
  ],
}
