import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import { appendTimeline } from '../../../journal/timeline.ts'
import type { Tx } from '../../../records/tx.ts'
import type { DriverAttempt } from '../attempts.ts'

/**
 * Records that the device has begun; false when this is not the open attempt of that driver, or was recorded
 * before.
 */
export function markStarted(tx: Tx, { job, attempt, driver }: DriverAttempt): boolean {
  const changed = tx.run(
    `UPDATE quantum_jobs SET started_at = $at, updated = $at
     WHERE id = $job AND attempt = $attempt AND driver = $driver AND status = 'running' AND started_at = ''`,
    { job, attempt, driver, at: tx.at },
  )
  if (changed === 0) return false
  appendTimeline(tx, job, { event: 'started', attempt, detail: '' })
  tx.changed(quantumJobs, job, 'update')
  return true
}
