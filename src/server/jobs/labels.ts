import * as v from 'valibot'
import { AppError } from '../../base/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { findJob, type Job, type JobLabels, labelJob } from '../../db/store/jobs/index.ts'
import { LABEL_LIMITS, labelName } from '../../protocol/index.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName } from '../http/caller.ts'
import { writtenText } from '../http/request/fields.ts'
import { findAccessible, type JobView, presentJob } from './view.ts'

const tag = v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(LABEL_LIMITS.tagLength), writtenText)

/** What the owner calls a job, at submission and later. */
export const jobLabels = {
  name: v.pipe(labelName, v.trim(), writtenText),
  tags: v.pipe(
    v.array(tag),
    v.maxLength(LABEL_LIMITS.tags),
    v.transform((tags) => [...new Set(tags)]),
  ),
}

/**
 * Changes name and tags of a job of the caller, in any state; superusers may change those of any job, which
 * is audited.
 * @throws AppError `not_found` (also for jobs of other users); `invalid` if nothing is given.
 */
export async function relabelJob(
  { db }: Pick<ServerContext, 'db'>,
  caller: Caller,
  { id, labels }: { id: string; labels: JobLabels },
): Promise<JobView> {
  const changed = Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (changed.length === 0) {
    throw new AppError('invalid', 'Nothing to change: send name, tags or both')
  }
  const job = await db.write('label job', (tx): Job => {
    const before = findAccessible(tx, caller, id)
    labelJob(tx, id, labels)
    if (caller.kind === 'superuser') {
      const detail = { fields: changed }
      appendAudit(tx, { actor: callerName(caller), action: 'job.update', subject: id, detail })
    }
    return findJob(tx, id) ?? before
  })
  return presentJob(db, job)
}
