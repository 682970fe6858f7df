import { AppError } from '../../base/index.ts'
import type { Tx } from '../../db/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { cancelJob as cancelStored, findJob, type Job, type JobAction } from '../../db/store/jobs/index.ts'
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
    if (caller.kind === 'superuser')
      return cancelByOperator(tx, { job: id, actor: callerName(caller), reason: '' })
    const found = findJob(tx, id)
    if (!found || !mayAccess(caller, found)) throw notFound()
    return cancelStored(tx, id) ?? refuse(found)
  })
  return presentJob(context.db, job)
}

/**
 * Cancels a pending job of anyone; its owner reads the reason, and the audit log keeps it.
 * @throws AppError `not_found`, `conflict` with reason `not_pending`.
 */
export function cancelByOperator(tx: Tx, { job: id, actor, reason }: JobAction): Job {
  const found = findJob(tx, id)
  if (!found) throw notFound()
  const cancelled = cancelStored(tx, id, reason) ?? refuse(found)
  appendAudit(tx, { actor, action: 'job.cancel', subject: id, ...(reason !== '' && { detail: { reason } }) })
  return cancelled
}

const notFound = () => new AppError('not_found', "The requested resource wasn't found")

function refuse({ status }: Job): never {
  throw new AppError('conflict', `Only pending jobs can be cancelled; this one is ${status}`, {
    reason: 'not_pending',
  })
}
