import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import { cancelPending } from '../../../hooks/removal.ts'
import { appendTimeline } from '../../../journal/timeline.ts'
import type { Tx } from '../../../records/tx.ts'
import { announceJobEnd } from '../announce-end.ts'
import { findJob, type Job } from '../jobs.ts'

/** T8: cancels a pending job, which it returns as `findJob`; undefined when it is not pending. */
export function cancelJob(tx: Tx, id: string, detail = ''): Job | undefined {
  if (!cancelPending(tx, id)) return undefined
  const job = findJob(tx, id)
  appendTimeline(tx, id, { event: 'cancelled', attempt: job?.attempt ?? 0, detail })
  announceJobEnd(tx, id)
  tx.changed(quantumJobs, id, 'update')
  return job
}
