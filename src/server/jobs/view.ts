import { AppError, toTimestamp } from '../../base/index.ts'
import { type Database, MAX_LARGE_BYTES, type ReadTx, unreadFields } from '../../db/index.ts'
import { type OwnJobsFilter, planOwnJobs, readPage } from '../../db/query/index.ts'
import { chargeOf, findUser, findUserByIdentity } from '../../db/store/accounts/index.ts'
import {
  type AttemptCalibration,
  type AttemptSeen,
  attemptsOf,
  deadlineOf,
  disturbingReport,
  findJob,
  findJobChanges,
  isOfOperator,
  type Job,
  type KnownJob,
  listJobs as listStored,
  newPosition,
  type OrderReading,
  ownerOfJob,
  quantumJobs,
  queuePositionOf,
  queuePositionReads,
  quoteOf,
  type TimelineEntry,
  timelineOf,
} from '../../db/store/jobs/index.ts'
import type { Qpu } from '../../db/store/qpus/index.ts'
import { type RecallMark, recallOf, recallsOf } from '../../db/store/recalls/index.ts'
import { actingUser } from '../auth/acting-user.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, holderOf } from '../http/caller.ts'
import { type ReadRequest, readingOf } from '../http/reading.ts'
import { presentRecord } from '../http/response/present-record.ts'
import type { WaitCode, WaitReason } from './dispatch/pick.ts'
import { presentQuote } from './quote.ts'
import { estimateWait } from './wait-estimate.ts'

/** A job as clients see it: the record and, for a single job, what is computed from other rows. */
export type JobView = Record<string, unknown> & { id: string; status: Job['status'] }

type ViewContext = Pick<ServerContext, 'db' | 'config' | 'order'>

/** The record of a job as its owner sees it. */
export function presentJob(db: Database, job: Job): JobView {
  const { id, status, shots, program_hash: hash, max_ms: maxMs } = job
  const record = presentRecord(quantumJobs, job, db.names, { isSuperuser: false })
  const program_sha256 = hash === '' ? null : Buffer.from(hash, 'base64url').toString('hex')
  const max_seconds = maxMs === 0 ? null : maxMs / 1_000
  const computed = { max_seconds, program_sha256, error: errorOf(job), tags: tagsOf(job) }
  return Object.assign(record, { id, status, shots, ...computed })
}

/** See `ComputedFrom`. */
export const COMPUTED_FROM = { error: { results: "status = 'failed'" } } as const

/** Why a failed job has no results, in one form for all kinds of failure. */
export function errorOf(job: Job): { code: string; message: string } | null {
  if (job.status !== 'failed') return null
  const { results, error_code } = job
  const text = typeof results === 'object' && results !== null && 'error' in results ? results.error : ''
  return { code: error_code, message: typeof text === 'string' ? text : '' }
}

/** The tags of a job, also of one that was submitted before there were tags. */
export function tagsOf({ tags }: Job): unknown {
  return tags ?? []
}

/** Whether the caller may read this job through the job routes and cancel it. */
export function mayAccess(caller: Caller, job: Job): boolean {
  if (caller.kind !== 'user') return caller.kind === 'superuser'
  const holder = holderOf(caller)
  return caller.user.id === job.user_id && (!holder || job.holder === holder.id)
}

/**
 * One job with its history, its charge and, while it is pending, its wait estimate.
 * @throws AppError `not_found`, also for jobs of other users.
 */
export async function viewJob(context: ViewContext, caller: Caller, id: string): Promise<JobView> {
  return context.db.read((tx) => describeJob(context, tx, findAccessible(tx, caller, id)))
}

/** The same if the status is a wanted one when the job is read; undefined otherwise. @throws as `viewJob`. */
export async function viewJobIf(
  context: ViewContext,
  caller: Caller,
  { id, isWanted }: { id: string; isWanted: (status: Job['status']) => boolean },
): Promise<JobView | undefined> {
  return context.db.read((tx) => {
    const job = findAccessible(tx, caller, id)
    return isWanted(job.status) ? describeJob(context, tx, job) : undefined
  })
}

/** Jobs of one response to those who wait for many, and bytes of their results. */
const NEWS_LIMITS = { most: 50, maxBytes: 1024 * 1024 } as const
/** How long jobs are described for one response, in ms: why a job waits may cost a millisecond. */
const DESCRIBED_FOR_MS = 5

/** What a caller that knows jobs does not know of them. */
export interface JobNews {
  /** As `viewJob` shows them, without their programs. */
  jobs: JobView[]
  /** Ids of those that do not exist, or belong to another user. */
  unknown: string[]
}

/**
 * The jobs whose status is another one than the known one: as many as fit in one response, and at least one.
 * @throws AppError `unauthorized` for guests.
 */
export async function viewJobChanges(
  context: ViewContext & Pick<ServerContext, 'clock'>,
  caller: Caller,
  known: readonly KnownJob[],
): Promise<JobNews> {
  const own = caller.kind === 'superuser' ? undefined : (await actingUser(context.db, caller)).id
  const whose = { user: own, holder: holderOf(caller)?.id }
  return context.db.read((tx) => {
    const { changed, unknown } = findJobChanges(tx, whose, known, NEWS_LIMITS)
    const end = context.clock.monotonic() + DESCRIBED_FOR_MS
    const jobs: JobView[] = []
    for (const job of listStored(tx, own, { ids: changed, without: { payload: '' } })) {
      const { payload: _, ...view } = describeJob(context, tx, job)
      jobs.push(view)
      if (context.clock.monotonic() > end) break
    }
    return { jobs, unknown }
  })
}

/** @throws AppError `not_found`, also for jobs of other users. */
export function findAccessible(tx: ReadTx, caller: Caller, id: string): Job {
  const job = findJob(tx, id)
  if (job && mayAccess(caller, job)) return job
  throw new AppError('not_found', "The requested resource wasn't found")
}

/** Reasons why a job waits that may end with the text of an operator. */
const SAID_BY_OPERATORS: ReadonlySet<WaitCode> = new Set(['held', 'maintenance', 'draining'])

/**
 * A job as whoever has a link to it sees it: without its user, and without the reasons that operators wrote
 * for its user. Undefined when it is removed.
 */
export function viewSharedJob(context: ViewContext, tx: ReadTx, id: string): JobView | undefined {
  const job = findJob(tx, id)
  if (!job) return undefined
  const { timeline, recalled, waiting, ...shown } = describeJob(context, tx, job)
  return {
    ...shown,
    user_id: '',
    timeline: timeline.map((entry) => (isOfOperator(entry.event) ? { ...entry, detail: '' } : entry)),
    recalled: recalled && { ...recalled, reason: '' },
    ...(waiting && SAID_BY_OPERATORS.has(waiting.code)
      ? { waiting: { ...waiting, text: waiting.text.replace(/: .*/s, '') } }
      : waiting && { waiting }),
  }
}

type DescribedJob = JobView & {
  timeline: TimelineEntry[]
  recalled: RecallMark | null
  waiting?: Pick<WaitReason, 'code' | 'text'>
}

/** What a view of a job shows that is not in its row. */
function jobReads(job: Job) {
  const { id, status, attempt, qpu, started_at: from, finished_at: to } = job
  const isCompleted = status === 'completed'
  const hasRunHere = isCompleted && qpu !== '' && from !== ''
  return {
    owner: ownerOfJob(id),
    charged: chargeOf(id),
    attempts: attempt > 0 ? attemptsOf(id) : undefined,
    deadline: deadlineOf(id),
    timeline: timelineOf(id),
    disturbedBy: hasRunHere ? disturbingReport({ qpu, from, to }) : undefined,
    recall: isCompleted ? recallOf(id) : undefined,
    position: status === 'pending' ? queuePositionReads(job) : undefined,
  }
}

function describeJob({ db, config, order }: ViewContext, tx: ReadTx, job: Job): DescribedJob {
  const { idleThreshold: idleMs } = config
  const facts = tx.read(jobReads(job))
  const attempts = facts.attempts?.map(presentAttempt) ?? []
  const position = facts.position && queuePositionOf(tx, order, facts.position, idleMs)
  return {
    ...presentJob(db, job),
    estimate: estimateOf(job, facts.owner?.unlimited === 1),
    give_up_at: facts.deadline ?? null,
    charged_seconds: facts.charged === undefined ? null : facts.charged / 1_000,
    timeline: facts.timeline,
    calibration: attempts.findLast(({ provenance }) => provenance)?.provenance?.calibration ?? null,
    attempts,
    disturbed_by: facts.disturbedBy ?? null,
    recalled: facts.recall ?? null,
    ...(position && presentWaitEstimate(estimateWait(position, tx.now, idleMs))),
  }
}

/** What was expected of a job when it was submitted; null for a job of an earlier version. */
export function estimateOf(job: Job, isUnlimited: boolean) {
  const quote = quoteOf(job)
  return quote ? presentQuote(quote, !isUnlimited) : null
}

function presentAttempt({ provenance, ...attempt }: AttemptSeen): Omit<AttemptSeen, 'provenance'> & {
  provenance?: { calibration?: AttemptCalibration }
} {
  if (provenance === null) return attempt
  // Written by `saveProvenance`.
  const known = JSON.parse(provenance) as { calibration?: AttemptCalibration }
  return { ...attempt, provenance: known }
}

/** When a job that a user submits to a QPU now would start, as `describeJob` says it of a pending one. */
export function estimateNewJob(
  { config }: Pick<ViewContext, 'config'>,
  reading: OrderReading,
  { user, qpu }: { user: string; qpu: Qpu },
) {
  const { idleThreshold: idleMs } = config
  const input = newPosition(reading, { user, qpu: qpu.id }, idleMs)
  const estimate = estimateWait(input, reading.tx.now, idleMs)
  const { waiting, estimated_start } = presentWaitEstimate(estimate)
  const startsNow = estimate.position === 1 && estimate.expectedMs === 0
  return { estimated_start, waiting: startsNow ? null : waiting }
}

function presentWaitEstimate({ waiting, position, start }: ReturnType<typeof estimateWait>) {
  const { since, until, ...reason } = waiting
  return {
    waiting: {
      ...reason,
      ...(since !== undefined && { since: toTimestamp(since) }),
      ...(until !== undefined && { until: toTimestamp(until) }),
    },
    queue_position: position,
    estimated_start: start ? { from: toTimestamp(start.from), to: toTimestamp(start.to) } : null,
  }
}

/** Which jobs to list, and for whom. */
interface JobPage {
  skip: number
  limit: number
  /** Field name, `-` in front for descending. */
  sort: string
  /** Superusers only: id or e-mail address of a user, `*` for everybody; without it, the caller's own. */
  user?: string | undefined
  filter?: OwnJobsFilter
  fields?: string
  /** Fields that the response leaves out. */
  omit?: readonly string[]
}

type ListContext = Pick<ServerContext, 'db'>

/** Lists jobs: the caller's own ones, for superusers also those of others. @throws as `ownerOf`. */
export async function listJobs(
  { db }: ListContext,
  caller: Caller,
  page: JobPage,
  call?: ReadRequest,
): Promise<JobView[]> {
  const user = await ownerOf(db, caller, page.user)
  const without = unreadFields(quantumJobs, page.fields ?? '', COMPUTED_FROM, page.omit)
  const { items } = await readPage(db, {
    without,
    maxBytes: MAX_LARGE_BYTES,
    sizeParameter: 'limit',
    reading: readingOf(caller, '', call),
    plan: (tx) => planOwnJobs(tx, user, { ...page, without }),
    records: (tx, ids) => {
      const marks = recallsOf(tx, ids)
      const listed = listStored(tx, user, { ids, without })
      return listed.map((job) => ({ ...presentJob(db, job), recalled: marks.get(job.id) ?? null }))
    },
  })
  return items
}

/** Number of jobs that `listJobs` would return on all pages. @throws as `ownerOf`. */
export async function countJobs(
  { db }: ListContext,
  caller: Caller,
  { user: wanted, filter = {} }: Pick<JobPage, 'user' | 'filter'>,
  call?: ReadRequest,
): Promise<number> {
  const user = await ownerOf(db, caller, wanted)
  const { totalItems } = await readPage(db, {
    reading: readingOf(caller, '', call),
    plan: (tx) => planOwnJobs(tx, user, { skip: 0, limit: 1, sort: '-created', filter, isCounted: true }),
    without: unreadFields(quantumJobs, 'id', COMPUTED_FROM),
    records: () => [],
  })
  return totalItems
}

/**
 * The id of the user whose jobs to list; undefined for those of everybody.
 * @throws AppError `unauthorized`; `forbidden` if a user asks for jobs of others; `invalid` for an unknown
 * user.
 */
async function ownerOf(db: Database, caller: Caller, wanted = ''): Promise<string | undefined> {
  if (wanted === '') return (await actingUser(db, caller)).id
  if (caller.kind !== 'superuser') {
    throw new AppError('forbidden', 'Only superusers list the jobs of others; omit user')
  }
  if (wanted === '*') return undefined
  const found = (await findUser(db, wanted)) ?? (await findUserByIdentity(db, wanted))
  if (found) return found.id
  const message = `There is no user ${wanted}`
  throw new AppError('invalid', 'Invalid query parameter', {
    fields: { user: { code: 'validation_missing_rel_records', message } },
  })
}
