import * as v from 'valibot'
import { AppError } from '../../../base/index.ts'
import { type KnownJob, quantumJobs } from '../../../db/store/jobs/index.ts'
import type { ServerContext } from '../../context.ts'
import { callerName } from '../../http/caller.ts'
import { IDLE_TIMEOUT_SECONDS } from '../../http/limits/idle-time.ts'
import type { RouteRequest } from '../../http/route.ts'
import { described } from '../../http/schema.ts'
import type { WaitDependencies } from '../../waiting/await-state.ts'
import { WAIT_LIMITS } from '../../waiting/waits.ts'
import { type JobNews, viewJobChanges } from '../view.ts'

/** Longer than any job id. */
const MAX_ID_LENGTH = 100

/** What a caller knows of jobs, and how long it waits for news of them. */
export const jobChangesBody = v.strictObject({
  known: v.pipe(
    v.array(
      v.strictObject({
        id: v.pipe(v.string(), v.maxLength(MAX_ID_LENGTH)),
        status: described(
          v.optional(v.union([v.literal(''), v.picklist(quantumJobs.fields.status.choices)]), ''),
          'The status that is known; without it, the job is returned immediately',
        ),
      }),
    ),
    v.minLength(1),
    v.maxLength(WAIT_LIMITS.jobsOfRequest),
  ),
  wait: described(
    v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(WAIT_LIMITS.seconds)), 0),
    'Seconds to wait for the first change',
  ),
})

type JobChangesBody = v.InferOutput<typeof jobChangesBody>

/**
 * The jobs whose status is another one than the known one, as soon as there is one, or none after `wait`
 * seconds or when the server stops. Credentials are checked again after the wait.
 * @throws AppError `unauthorized` when the credentials have become invalid; `limited`
 *   (`too_many_waiting_requests`).
 */
export async function awaitJobChanges(
  context: ServerContext,
  { waits, identify }: WaitDependencies,
  { caller, request, setIdleTimeout }: RouteRequest<unknown, unknown>,
  { known, wait: seconds }: JobChangesBody,
): Promise<JobNews> {
  const account = callerName(caller)
  await waits.turn(account)
  if (seconds === 0) return viewJobChanges(context, caller, known)
  const byId = new Map(known.map((job) => [job.id, job]))
  using wait = waits.enter({
    account,
    ids: [...byId.keys()],
    seconds,
    isAwaited: (status, id) => byId.get(id)?.status !== status,
    signal: request.signal,
  })
  let current = caller
  let asked: readonly KnownJob[] = known
  for (;;) {
    const next = wait.next()
    const news = await viewJobChanges(context, current, asked)
    if (news.jobs.length + news.unknown.length > 0 || wait.isOver) return news
    // The runtime would close the connection as idle.
    setIdleTimeout(Math.ceil(seconds) + IDLE_TIMEOUT_SECONDS)
    await next
    setIdleTimeout(IDLE_TIMEOUT_SECONDS)
    current = await identify(request)
    if (current.kind === 'guest') throw new AppError('unauthorized', 'Authentication required')
    // The others have not changed since they were read.
    asked = wait.takeChanged().flatMap((id) => byId.get(id) ?? [])
  }
}
