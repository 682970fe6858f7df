import { expect } from 'bun:test'
import type { Tx } from '../../src/db/index.ts'
import { holdJob, moveJobToFront, releaseJob, requeueJob } from '../../src/db/store/jobs/index.ts'
import type { JobLab } from '../support/server/job-lab.ts'
import type { ModelJob } from './store-model.ts'
import type { OperatorAction } from './store-steps.ts'

type JobActionName = Exclude<OperatorAction, 'drain'>

const ACTIONS: Record<JobActionName, (tx: Tx, act: Parameters<typeof holdJob>[1]) => unknown> = {
  hold: holdJob,
  release: releaseJob,
  moveToFront: moveJobToFront,
  requeue: requeueJob,
}

const MAY: Record<JobActionName, (job: ModelJob) => boolean> = {
  hold: ({ status, held }) => status === 'pending' && !held,
  release: ({ held }) => held,
  moveToFront: ({ status, held }) => status === 'pending' && !held,
  requeue: ({ status }) => status === 'running',
}

/**
 * Applies an operator's action to a job and to its model; if the state forbids it, it is refused without
 * effect.
 */
export async function operateOn(
  lab: JobLab,
  jobs: readonly ModelJob[],
  job: ModelJob | undefined,
  action: JobActionName,
): Promise<void> {
  if (!job) return
  const done = lab.db.write(action, (tx) => ACTIONS[action](tx, { job: job.id, actor: 'test', reason: '' }))
  if (!MAY[action](job)) {
    await expect(done).rejects.toMatchObject({ code: 'conflict' })
    return
  }
  await done
  if (action === 'moveToFront') job.rank = 1 + Math.max(0, ...jobs.map(({ rank }) => rank))
  else job.rank = 0
  if (action === 'hold' || action === 'release') job.held = action === 'hold'
  if (action === 'requeue')
    Object.assign(job, { open: undefined, status: 'pending', requeuedAttempt: job.attempt })
}
