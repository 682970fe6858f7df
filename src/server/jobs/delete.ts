import { nextTurn } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { assertEnded, deleteJob as deleteStored, removeLargeValue } from '../../db/store/jobs/index.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName } from '../http/caller.ts'
import { findAccessible } from './view.ts'

/**
 * Deletes an ended job of the caller; superusers may delete any. Large values go first, each in a
 * transaction of its own, so that other requests run between them; a job whose deletion is interrupted stays
 * without them.
 * @throws AppError `not_found` (also for jobs of other users), `conflict` (`job_not_ended`).
 */
export async function deleteJob(
  { db }: Pick<ServerContext, 'db'>,
  caller: Caller,
  id: string,
): Promise<void> {
  const assertMayDelete = (tx: ReadTx) => assertEnded(findAccessible(tx, caller, id))
  const removeOne = () =>
    db.write('delete value of job', (tx) => {
      assertMayDelete(tx)
      return removeLargeValue(tx, id)
    })
  while (await removeOne()) await nextTurn()
  await db.write('delete job', (tx) => {
    assertMayDelete(tx)
    deleteStored(tx, id)
    appendAudit(tx, { actor: callerName(caller), action: 'job.delete', subject: id })
  })
}
