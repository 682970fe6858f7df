import { expect } from 'bun:test'
import { holdJob, moveJobToFront, releaseJob, requeueJob, type Tx } from '../../src/db/index.ts'
import type { JobLab } from '../support/server/job-lab.ts'
import type { ModelJob } from './store-model.ts'
import type { Act } from './store-steps.ts'

type JobActName = Exclude<Act, 'drain'>

const ACTS: Record<JobActName, (tx: Tx, act: Parameters<typeof holdJob>[1]) => unknown> = {
  hold: holdJob,
  release: releaseJob,
  moveToFront: moveJobToFront,
  requeue: requeueJob,
}

const MAY: Record<JobActName, (job: ModelJob) => boolean> = {
  hold: ({ status, held }) => status === 'pending' && !held,
  release: ({ held }) => held,
  moveToFront: ({ status, held }) => status === 'pending' && !held,
  requeue: ({ status }) => status === 'running',
}

/**
 * An operator's act on a job and on its model; where the state does not allow it, it is refused and changes
 * nothing.
 */
export async function operateOn(
  lab: JobLab,
  jobs: readonly ModelJob[],
  job: ModelJob | undefined,
  act: JobActName,
): Promise<void> {
  if (!job) return
  const done = lab.db.write(act, (tx) => ACTS[act](tx, { job: job.id, actor: 'test', reason: '' }))
  if (!MAY[act](job)) {
    await expect(done).rejects.toMatchObject({ code: 'conflict' })
    return
  }
  await done
  if (act === 'moveToFront') job.rank = 1 + Math.max(0, ...jobs.map(({ rank }) => rank))
  else job.rank = 0
  if (act === 'hold' || act === 'release') job.held = act === 'hold'
  if (act === 'requeue') Object.assign(job, { open: undefined, status: 'pending', takenBack: job.attempt })
}
