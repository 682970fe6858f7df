import * as v from 'valibot'
import { AppError } from '../../base/index.ts'
import type { ReadTx, Tx } from '../../db/index.ts'
import {
  excessOf,
  findJob,
  holdJob,
  type Job,
  type JobAction,
  moveJob,
  moveJobToFront,
  releaseJob,
  requeueJob,
} from '../../db/store/jobs/index.ts'
import { isSimulator } from '../../db/store/qpus/index.ts'
import type { ServerContext } from '../context.ts'
import type { DispatchBackoff } from '../drivers/dispatch-backoff.ts'
import { type Caller, callerName } from '../http/caller.ts'
import { defineRoute, type Route, type RouteErrors } from '../http/route.ts'
import { described } from '../http/schema.ts'
import { describeExcess } from '../qpus/describe-excess.ts'
import { cancelByOperator } from './cancel.ts'
import { findOpenQpu } from './judgement/target.ts'
import { jobResponse } from './responses.ts'
import { type JobView, presentJob } from './view.ts'

const ACTIONS = '/api/op/jobs/:id'

const reason = v.optional(v.pipe(v.string(), v.trim(), v.maxLength(1_000)), '')

/** Actions of superusers on any job; each is recorded in the job's timeline and in the audit log. */
export function jobOperatorRoutes(backoff: DispatchBackoff): Route[] {
  return [
    actionRoute('hold', 'Hold a pending job: it does not run until it is released', holdJob, {
      not_pending: 409,
      already_held: 409,
    }),
    actionRoute('cancel', 'Cancel a pending job; its owner reads the reason', cancelByOperator, {
      not_pending: 409,
    }),
    actionRoute('release', 'Release a held job; it keeps its place in the order of submission', releaseJob, {
      not_held: 409,
    }),
    actionRoute('run-next', 'Run a pending job once before all others, bookings included', moveJobToFront, {
      not_pending: 409,
      held: 409,
    }),
    defineRoute(`POST ${ACTIONS}/requeue`, {
      ...actionRouteBase('requeue'),
      errors: { not_running: 409 },
      summary: 'Requeue a running job; a later result of its current attempt is not applied',
      body: v.object({
        reason,
        hold: described(
          v.optional(v.boolean(), false),
          'Hold the job in the same step, so that it does not run again',
        ),
      }),
      run: (context, { params, body, caller }) =>
        requeue(context, backoff, actionOf(params.id, caller, body.reason), body.hold),
    }),
    defineRoute(`POST ${ACTIONS}/move`, {
      ...actionRouteBase('move'),
      errors: { not_pending: 409, same_qpu: 409, unsupported_by_qpu: 409, is_simulator: 409, ...CLOSED },
      summary: 'Move a pending job to another QPU; it keeps its place in the order of submission',
      body: v.object({
        qpu: described(v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(100)), 'Name or id'),
        reason,
        to_simulator: described(
          v.optional(v.boolean(), false),
          'Also to a simulator, for a job that waits for hardware',
        ),
      }),
      run: (context, { params, body, caller }) =>
        moveToQpu(context, actionOf(params.id, caller, body.reason), body),
    }),
  ]
}

function actionRoute(
  name: string,
  summary: string,
  work: (tx: Tx, action: JobAction) => Job,
  errors: RouteErrors,
): Route {
  return defineRoute(`POST ${ACTIONS}/${name}`, {
    ...actionRouteBase(name),
    summary,
    errors,
    body: v.object({ reason }),
    async run({ db }, { params, body, caller }) {
      const action = actionOf(params.id, caller, body.reason)
      return presentJob(db, await db.write(`${name} job`, (tx) => work(tx, action)))
    },
  })
}

/** What an API token of the scope `operate` allows. */
const OPERATIONS = new Set(['hold', 'release', 'run-next', 'move'])

function actionRouteBase(name: string) {
  return {
    access: 'superuser',
    isOperation: OPERATIONS.has(name),
    response: jobResponse,
  } as const
}

function actionOf(job: string, caller: Caller, reason: string): JobAction {
  return { job, actor: callerName(caller), reason }
}

/** A QPU in these states refuses jobs. */
const CLOSED = { maintenance: 503, qpu_disabled: 503 } as const

/**
 * Refuses what would leave the job waiting for a QPU that cannot run it, and what would change the meaning of
 * its results: a simulator in place of hardware, unless it is wanted.
 */
async function moveToQpu(
  { db, order }: Pick<ServerContext, 'db' | 'order'>,
  action: JobAction,
  { qpu, to_simulator: isSimulatorWanted }: { qpu: string; to_simulator: boolean },
): Promise<JobView> {
  const moved = await db.write('move job', (tx) => {
    const job = findJob(tx, action.job)
    if (!job) throw new AppError('not_found', `There is no job ${action.job}`)
    const to = findOpenQpu(order.qpus.list(tx), qpu)
    if (to instanceof AppError) throw to
    const excess = excessOf(job, to)
    if (job.status === 'pending' && excess.length > 0) {
      throw new AppError('conflict', `QPU ${describeExcess(to, excess)}`, { reason: 'unsupported_by_qpu' })
    }
    if (!isSimulatorWanted && job.status === 'pending' && changesToSimulator(tx, job.qpu_target, to.id)) {
      const message = `QPU ${to.name} is a simulator, and the job waits for hardware; confirm with "to_simulator": true`
      throw new AppError('conflict', message, { reason: 'is_simulator' })
    }
    return moveJob(tx, action, to)
  })
  return presentJob(db, moved)
}

function changesToSimulator(tx: ReadTx, from: string, to: string): boolean {
  return from !== '' && isSimulator(tx, to) && !isSimulator(tx, from)
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
