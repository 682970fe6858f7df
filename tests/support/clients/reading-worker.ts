/** A worker that reads jobs at the same time with a client of its own, and counts those that are others. */
import { parentPort, workerData } from 'node:worker_threads'
import { SvcClient } from '../../../clients/js/src/index.ts'

/** What a worker reads. */
export interface Reading {
  readonly baseUrl: string
  readonly ids: readonly string[]
}

/** The number of jobs that were not the ones asked for. */
export async function wrongOf({ baseUrl, ids }: Reading): Promise<number> {
  const svc = new SvcClient({ baseUrl, apiToken: 'secret' })
  const read = await Promise.all(ids.map(async (id) => (await (await svc.job(id)).result()).jobId === id))
  return read.filter((isOwn) => !isOwn).length
}

if (parentPort) parentPort.postMessage(await wrongOf(workerData))
