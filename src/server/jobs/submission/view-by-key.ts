import { AppError } from '../../../base/index.ts'
import { actingUser } from '../../auth/acting-user.ts'
import type { ServerContext } from '../../context.ts'
import type { Caller } from '../../http/caller.ts'
import { idOfKey } from '../../http/request/idempotency.ts'
import { type JobView, viewJob } from '../view.ts'
import { SUBMISSION_ROUTE } from './submit.ts'

/**
 * The job that the caller has submitted with this `Idempotency-Key`: for programs that lost the response to
 * their submission.
 * @throws AppError `invalid` for a malformed key; `not_found` (`unknown_key`): no job of the last 24 hours
 *   has it, or that job was deleted.
 */
export async function viewByKey(
  context: Pick<ServerContext, 'db' | 'config' | 'order'>,
  caller: Caller,
  key: string,
): Promise<JobView> {
  const user = await actingUser(context.db, caller)
  const id = await context.db.read((tx) => idOfKey(tx, { user: user.id, key, route: SUBMISSION_ROUTE }))
  if (id === undefined) throw unknownKey()
  return viewJob(context, caller, id).catch((error) => {
    throw error instanceof AppError && error.code === 'not_found' ? unknownKey() : error
  })
}

function unknownKey(): AppError {
  const message = 'You have submitted no job with this Idempotency-Key within the last 24 hours'
  return new AppError('not_found', message, { reason: 'unknown_key' })
}
