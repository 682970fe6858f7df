import type { Migration } from '../../migrate.ts'

const ENDED = "status IN ('completed', 'failed', 'cancelled')"
const IMPORTED = `EXISTS (SELECT 1 FROM job_timeline WHERE job = quantum_jobs.id AND event = 'imported')`

const add = (name: string, condition: string) =>
  `ALTER TABLE "quantum_jobs" ADD CONSTRAINT "quantum_jobs_${name}" CHECK (${condition})`

/**
 * What the state of a job says about its other columns. Imported jobs that had ended may lack the time of it:
 * their last change takes its place.
 */
export const jobChecks: Migration = {
  id: 7,
  name: 'job-checks',
  rules: [
    {
      table: 'quantum_jobs',
      text: 'A job has finished_at exactly if it is completed, failed or cancelled',
      broken: `(${ENDED}) <> (finished_at <> '') AND NOT (${ENDED} AND ${IMPORTED})`,
      shown: ['status', 'finished_at'],
    },
    {
      table: 'quantum_jobs',
      text: 'A pending job has no started_at',
      broken: "status = 'pending' AND started_at <> ''",
      shown: ['status', 'started_at'],
    },
    {
      table: 'quantum_jobs',
      text: 'A pending job has no driver',
      broken: "status = 'pending' AND driver <> ''",
      shown: ['status', 'driver'],
    },
    {
      table: 'quantum_jobs',
      text: 'A running job has an attempt',
      broken: "status = 'running' AND attempt <= 0",
      shown: ['status', 'attempt'],
    },
  ],
  statements: [
    `UPDATE quantum_jobs SET finished_at = updated WHERE ${ENDED} AND finished_at = ''`,
    add('finished_at', `(${ENDED}) = (finished_at <> '')`),
    add('started_at', "started_at = '' OR status <> 'pending'"),
    add('driver', "driver = '' OR status <> 'pending'"),
    add('attempt', "attempt > 0 OR status <> 'running'"),
  ],
}
