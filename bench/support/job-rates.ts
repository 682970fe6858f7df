import type { Lab } from './lab.ts'

/** Clients that submit at the same time. */
const WIDTH = 8

async function finishedAt(lab: Lab, id: string): Promise<number> {
  return Date.parse((await lab.job(id)).finished_at)
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
  const times = await Promise.all(ids.map((id) => finishedAt(lab, id)))
  return (count - 1) / ((Math.max(...times) - Math.min(...times)) / 1_000)
}

/**
 * Jobs per second when `count` jobs are submitted while others run, from the first submission to the end of
 * the last job.
 */
export async function submitConcurrently(lab: Lab, count: number): Promise<number> {
  const start = Date.now()
  const ids = await lab.submitMany(count, WIDTH)
  await lab.untilCompleted(ids)
  const times = await Promise.all(ids.map((id) => finishedAt(lab, id)))
  return count / ((Math.max(...times) - start) / 1_000)
}
