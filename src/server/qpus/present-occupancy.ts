import * as v from 'valibot'
import { fromTimestamp, SECOND_MS, toTimestamp } from '../../base/index.ts'
import type { Occupancy, QueuedJob } from '../../db/store/jobs/index.ts'
import type { RecalledCalibration } from '../../db/store/qpus/index.ts'
import type { ServerContext } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { described, shape } from '../http/schema.ts'

const runningJob = shape('RunningJob', {
  id: described(v.nullable(v.string()), 'Null if the caller may not read the job'),
  mine: v.boolean(),
  name: described(v.string(), "Name of the caller's own job; superusers see every name"),
  since: v.string(),
  expected_end: described(
    v.string(),
    'At the latest by its estimate, UTC; in the past: it takes longer; empty = not measured',
  ),
  user: v.optional(described(v.string(), 'Superusers only')),
  email: v.optional(described(v.string(), 'Superusers only')),
})

const holder = shape('QpuHolder', {
  mine: v.boolean(),
  until: v.string(),
  user: v.optional(described(v.string(), 'Superusers only')),
  username: v.optional(described(v.string(), 'Superusers only')),
  email: v.optional(described(v.string(), 'Superusers only')),
})

const holdingSession = shape('HoldingSession', {
  id: described(v.nullable(v.string()), 'Null if the caller may not read the session'),
  mine: v.boolean(),
  mode: v.picklist(['exclusive', 'batch']),
  state: v.picklist(['active', 'paused']),
  until: described(v.string(), 'When it ends at the latest, UTC'),
  idle_seconds: described(v.number(), 'Without a job for so long, it is paused'),
  idle_since: described(
    v.string(),
    "Since when its user has had no job, UTC; '' = one waits or runs, or it is paused",
  ),
  user: v.optional(described(v.string(), 'Superusers only')),
  username: v.optional(described(v.string(), 'Superusers only')),
  email: v.optional(described(v.string(), 'Superusers only')),
})

/** What occupies a QPU, without the names of other users. */
export const occupancyShape = {
  queue_length: described(v.number(), 'Queued jobs that it can run'),
  running_job: described(v.nullable(runningJob), 'Null = none'),
  holder: described(v.nullable(holder), 'Who has booked the present time; null = nobody'),
  session: described(v.nullable(holdingSession), 'The session whose jobs go first; null = none'),
  next_free: described(v.string(), 'From when nobody has booked it, UTC'),
}

const newestCalibration = shape('QpuCalibration', {
  report: described(v.string(), 'Id in calibration_results'),
  at: described(v.string(), 'End of the calibration, UTC'),
  medians: described(
    v.record(
      v.string(),
      v.object({ value: v.number(), unit: v.string(), count: v.number(), at: v.string() }),
    ),
    'By parameter, of the newest values of all qubits or edges',
  ),
})

/** The newest calibration of a QPU. */
export const calibrationShape = {
  calibration: described(v.nullable(newestCalibration), 'Null = never calibrated'),
  recalled_calibration: described(
    v.nullable(
      shape('RecalledCalibration', {
        report: described(v.string(), 'Id in calibration_results'),
        recall: described(v.string(), 'Id of the recall'),
        reason: described(v.string(), "'' for guests"),
        at: described(v.string(), 'When it was declared, UTC'),
      }),
    ),
    'The calibration in force if it is recalled: so are results of jobs that run with it',
  ),
}

/** The recall of a calibration; its reason is for those who are signed in. */
export function presentRecalled(recalled: RecalledCalibration | undefined, { kind }: Caller) {
  return recalled ? { ...recalled, ...(kind === 'guest' && { reason: '' }) } : null
}

/** The estimate of a start, as the routes of jobs give it too. */
const estimatedStart = v.nullable(v.object({ from: v.string(), to: v.string() }))

/** When a job would start that the caller submitted now. */
export const newJobShape = {
  estimated_start: described(
    estimatedStart,
    'Start of a job that the caller submits to it now, UTC; null = not known, see `waiting`',
  ),
  waiting: described(
    v.nullable(
      shape('NewJobWait', {
        code: v.string(),
        text: v.string(),
        since: v.optional(v.string()),
        until: v.optional(v.string()),
      }),
    ),
    'Why such a job would not start immediately; null = it would',
  ),
}

/** A queued job. */
export const queuedJobShape = shape('QueuedJob', {
  id: described(v.nullable(v.string()), 'Null if the caller may not read the job'),
  mine: v.boolean(),
  name: described(v.string(), "Name of the caller's own jobs; superusers see every name"),
  shots: v.number(),
  created: v.string(),
  estimated_start: described(
    estimatedStart,
    'By the fastest and the slowest recent job, UTC; null = cannot be estimated',
  ),
  user: v.optional(described(v.string(), 'Superusers only')),
  email: v.optional(described(v.string(), 'Superusers only')),
})

/** Who reads it. */
interface Reader {
  /** Id of the calling user; '' for guests and superusers. */
  user: string
  isSuperuser: boolean
  /** Whether everybody may read jobs. */
  areJobsPublic: boolean
}

/** What the caller of a route may see. */
export function readerOf({ config }: ServerContext, caller: Caller): Reader {
  return {
    user: caller.kind === 'user' ? caller.user.id : '',
    isSuperuser: caller.kind === 'superuser',
    areJobsPublic: config.jobsVisibility === 'public',
  }
}

/** What occupies a QPU, as far as the reader may see it. */
export function presentOccupancy(
  { queueLength, running, holder, session, nextFree }: Occupancy,
  reader: Reader,
) {
  return {
    queue_length: queueLength,
    running_job: running
      ? {
          id: mayRead(running.user, reader) ? running.job : null,
          mine: isMine(running.user, reader),
          name: isMine(running.user, reader) || reader.isSuperuser ? running.name : '',
          since: running.since,
          expected_end: endOf(running),
          ...(reader.isSuperuser && { user: running.user, email: running.email }),
        }
      : null,
    holder: holder
      ? {
          mine: isMine(holder.user, reader),
          until: holder.until,
          ...(reader.isSuperuser && { user: holder.user, username: holder.username, email: holder.email }),
        }
      : null,
    session: session ? presentSession(session, reader) : null,
    next_free: nextFree,
  }
}

function presentSession(session: NonNullable<Occupancy['session']>, reader: Reader) {
  const { user, username, email, idleSince } = session
  const mine = isMine(user, reader)
  return {
    id: mine || reader.isSuperuser ? session.session : null,
    mine,
    mode: session.mode,
    state: session.isPaused ? ('paused' as const) : ('active' as const),
    until: toTimestamp(session.until),
    idle_seconds: session.idleMs / SECOND_MS,
    idle_since: idleSince === undefined ? '' : toTimestamp(idleSince),
    ...(reader.isSuperuser && { user, username, email }),
  }
}

/** A queued job, as far as the reader may see it. */
export function presentQueuedJob(
  { user, email, ...job }: QueuedJob,
  start: { from: number; to: number } | undefined,
  reader: Reader,
) {
  const mine = isMine(user, reader)
  return {
    id: mayRead(user, reader) ? job.id : null,
    mine,
    name: mine || reader.isSuperuser ? job.name : '',
    shots: job.shots,
    created: job.created,
    estimated_start: start ? { from: toTimestamp(start.from), to: toTimestamp(start.to) } : null,
    ...(reader.isSuperuser && { user, email }),
  }
}

function endOf({ since, longestMs }: NonNullable<Occupancy['running']>): string {
  const start = fromTimestamp(since)
  return longestMs === 0 || start === undefined ? '' : toTimestamp(start + longestMs)
}

function isMine(user: string, reader: Reader): boolean {
  return user !== '' && user === reader.user
}

function mayRead(user: string, reader: Reader): boolean {
  return reader.areJobsPublic || reader.isSuperuser || isMine(user, reader)
}
