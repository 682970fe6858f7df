import { AppError } from '../../../base/index.ts'
import type { Job } from '../../../db/store/jobs/index.ts'
import type { ServerContext } from '../../context.ts'
import { type Caller, callerName } from '../../http/caller.ts'
import { IDLE_TIMEOUT_SECONDS } from '../../http/limits/idle-time.ts'
import type { RouteRequest } from '../../http/route.ts'
import { type JobView, viewJob, viewJobIf } from '../view.ts'
import type { JobWaits } from './job-waits.ts'
import type { IsAwaited } from './wait.ts'

const FINAL: readonly Job['status'][] = ['completed', 'failed', 'cancelled']

/** What a request waits for. */
interface JobWaitQuery {
  /** Seconds; 0 = responds immediately. */
  wait: number
  /** The status to leave; without it, the job has to end. */
  status?: Job['status'] | undefined
}

/** What waiting requests need beyond the context. */
export interface JobWaitDependencies {
  waits: JobWaits
  identify(request: Request): Promise<Caller>
}

/**
 * The view of a job as soon as its status is the awaited one, or as it is after `wait` seconds, or when the
 * server stops. Credentials and access are checked again after the wait.
 * @throws AppError as `viewJob` does; `unauthorized` when the credentials have become invalid; `limited`
 *   (`too_many_waiting_requests`).
 */
export async function awaitJob(
  context: ServerContext,
  { waits, identify }: JobWaitDependencies,
  { caller, params, request, setIdleTimeout }: RouteRequest<unknown, unknown>,
  { wait: seconds, status }: JobWaitQuery,
): Promise<JobView> {
  const id = params['id'] ?? ''
  if (seconds === 0) return viewJob(context, caller, id)
  const isAwaited: IsAwaited = (now) => (status === undefined ? FINAL.includes(now) : now !== status)
  using wait = waits.enter({
    account: callerName(caller),
    jobs: [id],
    seconds,
    isAwaited,
    signal: request.signal,
  })
  let current = caller
  for (;;) {
    const next = wait.next()
    const view = await viewJobIf(context, current, {
      id,
      isWanted: (now) => wait.isOver || isAwaited(now, id),
    })
    if (view) return view
    // The runtime would close the connection as idle.
    setIdleTimeout(seconds + IDLE_TIMEOUT_SECONDS)
    await next
    setIdleTimeout(IDLE_TIMEOUT_SECONDS)
    current = await identify(request)
    if (current.kind === 'guest') throw new AppError('unauthorized', 'Authentication required')
  }
}
