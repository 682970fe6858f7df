import { AppError } from '../../base/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { cancelJob as cancelStored, findJob, type Job } from '../../db/store/jobs/index.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName } from '../http/caller.ts'
import { type JobView, mayAccess, presentJob } from './view.ts'

/**
 * Cancels a pending job of the caller; superusers may cancel any.
 * @throws AppError `not_found` (also for jobs of other users), `conflict` with reason `not_pending`.
 */
export async function cancelJob(
  context: Pick<ServerContext, 'db'>,
  caller: Caller,
  id: string,
): Promise<JobView> {
  const job = await context.db.write('cancel job', (tx): Job => {
    const found = findJob(tx, id)
    if (!found || !mayAccess(caller, found))
      throw new AppError('not_found', "The requested resource wasn't found")
    const cancelled = cancelStored(tx, id)
    if (cancelled && caller.kind === 'superuser') {
      appendAudit(tx, { actor: callerName(caller), action: 'job.cancel', subject: id })
    }
    if (cancelled) return cancelled
    throw new AppError('conflict', `Only pending jobs can be cancelled; this one is ${found.status}`, {
      reason: 'not_pending',
    })
  })
  return presentJob(context.db, job)
}
