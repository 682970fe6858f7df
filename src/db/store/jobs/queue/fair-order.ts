import { compareFair } from '../../accounts/recent-use.ts'
import type { UseOfUsers } from './fair-share.ts'
import type { OpenJob } from './job-order.ts'
import type { QpuQueue } from './qpu-queue.ts'

/** The fair order of the jobs of a QPU if every job takes `runMs` and no further ones are submitted. */
interface FairOrder {
  queue: QpuQueue
  use: UseOfUsers
  runMs: number
  /** The jobs of the queue that run before all others. */
  moved: readonly OpenJob[]
  /** A user whose jobs run before those of others; '' = none. */
  booker: string
}

/**
 * The number of jobs, but for those of the booker and those moved to the front, that start before this one,
 * which nobody has moved.
 */
export function countBeforeFairly(job: { seq: number; user: string }, order: FairOrder): number {
  const { queue, runMs, booker } = order
  const { useOf, movedOf } = readUse(order)
  const count = (user: string, seq: number) => {
    const first = movedOf(user).filter((each) => each.seq < seq)
    return queue.count(user, seq) - first.length
  }
  let before = count(job.user, job.seq)
  // The use of the job's user when its turn comes: all jobs that begin at less use start before it.
  const level = useOf(job.user) + before * runMs
  for (const user of queue.users) {
    if (user === job.user || user === booker) continue
    const use = useOf(user)
    const turns = Math.max(0, Math.ceil((level - use) / runMs))
    before += Math.min(turns, count(user, Number.POSITIVE_INFINITY))
    // Users with equal use take turns by the submission of their next job.
    if (use + turns * runMs === level && count(user, job.seq) > turns) before += 1
  }
  return before
}

/** The first jobs in this order, without those of the booker and those moved to the front. */
export function listFairly(order: FairOrder, limit: number): OpenJob[] {
  const { queue, runMs, booker } = order
  const { useOf, movedOf } = readUse(order)
  const claims = [...queue.users].flatMap((user) => {
    if (user === booker) return []
    const moved = new Set(movedOf(user))
    const jobs = queue.jobs(user).filter((job) => !moved.has(job))
    const job = jobs.next().value
    return job ? [{ jobs, job, seq: job.seq, use: useOf(user) }] : []
  })
  const listed: OpenJob[] = []
  while (listed.length < limit && claims.length > 0) {
    const claim = claims.reduce((best, each) => (compareFair(each, best) < 0 ? each : best))
    listed.push(claim.job)
    const job = claim.jobs.next().value
    if (job) Object.assign(claim, { job, seq: job.seq, use: claim.use + runMs })
    else claims.splice(claims.indexOf(claim), 1)
  }
  return listed
}

/** The use of a user after the running jobs and those moved to the front, and the latter. */
function readUse({ use, runMs, moved }: FairOrder) {
  const byUser = Map.groupBy(moved, ({ user }) => user)
  const movedOf = (user: string): readonly OpenJob[] => byUser.get(user) ?? []
  return { movedOf, useOf: (user: string) => use.ended(user, runMs) + movedOf(user).length * runMs }
}
