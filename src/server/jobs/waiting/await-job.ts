import type { Job } from '../../../db/store/jobs/index.ts'
import type { ServerContext } from '../../context.ts'
import type { RouteRequest } from '../../http/route.ts'
import { awaitState, type WaitDependencies } from '../../waiting/await-state.ts'
import { type JobView, viewJob, viewJobIf } from '../view.ts'

const FINAL: readonly string[] = ['completed', 'failed', 'cancelled']

/** What a request waits for. */
interface JobWaitQuery {
  /** Seconds; 0 = responds immediately. */
  wait: number
  /** The status to leave; without it, the job has to end. */
  status?: Job['status'] | undefined
}

/**
 * The view of a job as soon as its status is the awaited one, or as it is after `wait` seconds.
 * @throws AppError as `viewJob` and `awaitState` do.
 */
export async function awaitJob(
  context: ServerContext,
  dependencies: WaitDependencies,
  route: RouteRequest<unknown, unknown, '/:id'>,
  { wait: seconds, status }: JobWaitQuery,
): Promise<JobView> {
  const { id } = route.params
  if (seconds === 0) return viewJob(context, route.caller, id)
  return awaitState(dependencies, route, {
    id,
    seconds,
    isAwaited: (now) => (status === undefined ? FINAL.includes(now) : now !== status),
    read: (caller, isWanted) => viewJobIf(context, caller, { id, isWanted }),
  })
}
