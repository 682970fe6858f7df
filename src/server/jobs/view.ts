import { AppError, toTimestamp } from '../../base/index.ts'
import {
  chargeOf,
  type Database,
  findJob,
  heldBytes,
  type Job,
  listJobs as listStored,
  listTimeline,
  MAX_LARGE_BYTES,
  planOwnJobs,
  quantumJobs,
  readPage,
  readQueuePosition,
  unreadFields,
} from '../../db/index.ts'
import { actingUser } from '../auth/acting-user.ts'
import type { ServerContext } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { readingOf } from '../http/reading.ts'
import { presentRecord } from '../http/response/present-record.ts'
import { estimateWait } from './wait-estimate.ts'

/** A job as clients see it: the record and, for a single job, what is computed from other rows. */
export type JobView = Record<string, unknown> & { id: string; status: Job['status'] }

/** The record of a job as its owner sees it. */
export function presentJob(db: Database, job: Job): JobView {
  const { id, status } = job
  return {
    ...presentRecord(quantumJobs, job, db.names, { isSuperuser: false }),
    id,
    status,
    error: errorOf(job),
  }
}

/** The large fields that each computed field of a job is derived from. */
export const COMPUTED_FROM = { error: ['results'] } as const

/** Why a failed job has no results, in one form for all kinds of failure. */
export function errorOf(job: Job): { code: string; message: string } | null {
  if (job.status !== 'failed') return null
  const { results, error_code } = job
  const text = typeof results === 'object' && results !== null && 'error' in results ? results.error : ''
  return { code: error_code, message: typeof text === 'string' ? text : '' }
}

/** Whether the caller may read this job through the job routes and cancel it. */
export function mayAccess(caller: Caller, job: Job): boolean {
  return caller.kind === 'superuser' || (caller.kind === 'user' && caller.user.id === job.user_id)
}

/**
 * One job with its history, its charge and, while it is pending, its wait estimate. `fields`: what the
 * response selects.
 * @throws AppError `not_found`, also for jobs of other users.
 */
export async function viewJob(
  { db, config }: Pick<ServerContext, 'db' | 'config'>,
  caller: Caller,
  id: string,
  fields = '',
): Promise<JobView> {
  const most = heldBytes(quantumJobs, fields)
  return db.read((tx) => {
    const job = findJob(tx, id, most)
    if (!job || !mayAccess(caller, job))
      throw new AppError('not_found', "The requested resource wasn't found")
    const input = readQueuePosition(tx, id, config.idleThreshold)
    const charged = chargeOf(tx, id)
    return {
      ...presentJob(db, job),
      charged_seconds: charged === undefined ? null : charged / 1_000,
      timeline: listTimeline(tx, id),
      ...(input && presentWaitEstimate(estimateWait(input, tx.now, config.idleThreshold))),
    }
  })
}

function presentWaitEstimate({ waiting, position, start }: ReturnType<typeof estimateWait>) {
  const { until, ...reason } = waiting
  return {
    waiting: { ...reason, ...(until !== undefined && { until: toTimestamp(until) }) },
    queue_position: position,
    estimated_start: start ? { from: toTimestamp(start.from), to: toTimestamp(start.to) } : null,
  }
}

/**
 * Lists the caller's own jobs. `sort`: field name, `-` in front for descending. @throws AppError
 * `unauthorized`.
 */
export async function listJobs(
  { db }: Pick<ServerContext, 'db'>,
  caller: Caller,
  page: { skip: number; limit: number; sort: string; fields?: string },
  request?: Request,
): Promise<JobView[]> {
  const user = await actingUser(db, caller)
  const without = unreadFields(quantumJobs, page.fields ?? '', COMPUTED_FROM)
  const most = heldBytes(quantumJobs, page.fields ?? '')
  const { items } = await readPage(db, {
    ...{ without, maxBytes: MAX_LARGE_BYTES, sizeParameter: 'limit' },
    reading: readingOf(caller, '', request),
    plan: () => planOwnJobs(user.id, page),
    records: (tx, ids) => listStored(tx, user.id, { ids, without, most }).map((job) => presentJob(db, job)),
  })
  return items
}
