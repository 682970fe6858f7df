import type { Lab } from './lab.ts'

/** Clients that submit at the same time. */
const WIDTH = 8

/** When the first and the last of `ids` ended, in ms since the epoch. */
export async function endsOf(lab: Lab, ids: readonly string[]): Promise<{ first: number; last: number }> {
  const times = await Promise.all(ids.map(async (id) => Date.parse((await lab.job(id)).finished_at)))
  return { first: Math.min(...times), last: Math.max(...times) }
}

/**
 * Jobs per second of a queue of `count` jobs that is full before the driver starts, from the end of the first
 * job to the end of the last.
 */
export async function drain(lab: Lab, count: number): Promise<number> {
  await lab.stopDriver()
  const ids = await lab.submitMany(count, WIDTH)
  await lab.startDriver()
  await lab.untilCompleted(ids)
  const { first, last } = await endsOf(lab, ids)
  return (count - 1) / ((last - first) / 1_000)
}

/**
 * Jobs per second when `count` jobs are submitted while others run, from the first submission to the end of
 * the last job.
 */
export async function submitConcurrently(lab: Lab, count: number): Promise<number> {
  const start = Date.now()
  const ids = await lab.submitMany(count, WIDTH)
  await lab.untilCompleted(ids)
  const { last } = await endsOf(lab, ids)
  return count / ((last - start) / 1_000)
}
