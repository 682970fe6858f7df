import * as v from 'valibot'
import {
  holdJob,
  type Job,
  type JobAction,
  moveJobToFront,
  releaseJob,
  requeueJob,
  type Tx,
} from '../../db/index.ts'
import type { ServerContext } from '../context.ts'
import type { DispatchBackoff } from '../drivers/dispatch-backoff.ts'
import { type Caller, callerName } from '../http/caller.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { jobResponse } from './responses.ts'
import { type JobView, presentJob } from './view.ts'

const reason = v.optional(v.pipe(v.string(), v.trim(), v.maxLength(1_000)), '')

/** Actions of superusers on any job; each is recorded in the job's timeline and in the audit log. */
export function jobOperatorRoutes(backoff: DispatchBackoff): Route[] {
  return [
    actionRoute('hold', 'Hold a pending job: it does not run until it is released', holdJob),
    actionRoute('release', 'Release a held job; it keeps its place in the order of submission', releaseJob),
    actionRoute('run-next', 'Run a pending job once before all others, bookings included', moveJobToFront),
    defineRoute({
      ...actionRouteBase('requeue'),
      summary: 'Requeue a running job; a later result of its current attempt is not applied',
      body: v.object({
        reason,
        hold: v.pipe(
          v.optional(v.boolean(), false),
          v.description('Hold the job in the same step, so that it does not run again'),
        ),
      }),
      run: (context, { params, body, caller }) =>
        requeue(context, backoff, actionOf(params['id'], caller, body.reason), body.hold),
    }),
  ]
}

function actionRoute(name: string, summary: string, work: (tx: Tx, action: JobAction) => Job): Route {
  return defineRoute({
    ...actionRouteBase(name),
    summary,
    body: v.object({ reason }),
    async run({ db }, { params, body, caller }) {
      const action = actionOf(params['id'], caller, body.reason)
      return presentJob(db, await db.write(`${name} job`, (tx) => work(tx, action)))
    },
  })
}

function actionRouteBase(name: string) {
  return {
    method: 'POST',
    path: `/api/op/jobs/:id/${name}`,
    access: 'superuser',
    statuses: [200, 400, 401, 403, 404, 409],
    response: jobResponse,
  } as const
}

function actionOf(job = '', caller: Caller, reason: string): JobAction {
  return { job, actor: callerName(caller), reason }
}

async function requeue(
  { db, hub }: Pick<ServerContext, 'db' | 'hub'>,
  backoff: DispatchBackoff,
  action: JobAction,
  hold: boolean,
): Promise<JobView> {
  const { job, ended } = await db.write('requeue job', (tx) => {
    const requeued = requeueJob(tx, action)
    // The driver needs a moment to stop the job and would refuse another one as busy.
    const epoch = hub.attachedEpoch(requeued.ended.driver)
    if (epoch !== undefined) backoff.penalize(requeued.ended.driver, epoch)
    return hold ? { ...requeued, job: holdJob(tx, action) } : requeued
  })
  hub.send(ended.driver, { type: 'StopJob', job: ended.job, attempt: ended.attempt })
  return presentJob(db, job)
}
