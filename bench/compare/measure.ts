import { Service } from '../../tests/support/executable/service.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { fillJobs, jobId, request, type Side } from '../record-store/side.ts'
import { StreamGroup } from '../record-store/stream-group.ts'
import { callsPerSecond } from '../support/calls-per-second.ts'
import { percentile } from '../support/figures.ts'
import { drain, submitConcurrently } from '../support/job-rates.ts'
import { measureJobs } from '../support/job-times.ts'
import { Lab } from '../support/lab.ts'
import type { Unit } from './comparison.ts'

/** Amounts that are measured in each round. */
export interface Sizes {
  /** Jobs that are timed one after the other. */
  jobs: number
  /** Jobs of the throughput measurement. */
  queued: number
  /** Requests to the record store, of each kind. */
  requests: number
  /** Jobs in the database that the record store reads. */
  stored: number
  /** Open event streams and the changes sent to them. */
  streams: number
  changes: number
}

/** Called for each figure of a round. */
export type Note = (name: string, unit: Unit, value: number) => void

/** Requests that run at the same time. */
const WIDTH = 8

/** Measures start-up, latency and throughput of one executable in a new installation. */
export async function measureQueue(executable: string, sizes: Sizes, note: Note): Promise<void> {
  note('first start', 'ms', await startFirst(executable))
  await using lab = await Lab.open({ executable })
  await lab.service.stop()
  note('later start', 'ms', await lab.service.start())
  note('driver, to online', 'ms', await lab.startDriver())
  await measureJobs(lab, Math.ceil(sizes.jobs / 3))
  const times = await measureJobs(lab, sizes.jobs)
  const submitted = times.map((each) => each.submitted)
  const completed = times.map((each) => each.completed)
  note('response to a submission, p50', 'ms', percentile(submitted, 0.5))
  note('submission to completion, p50', 'ms', percentile(completed, 0.5))
  note('submission to completion, p90', 'ms', percentile(completed, 0.9))
  note('jobs, drained', 'per s', await drain(lab, sizes.queued))
  note('jobs, submitted concurrently', 'per s', await submitConcurrently(lab, sizes.queued))
}

async function startFirst(executable: string): Promise<number> {
  using folder = temporaryFolder()
  const service = await Service.install(folder.path, { executable })
  const ms = await service.start()
  await service.stop()
  return ms
}

/** Measures the record store of one executable with jobs in its database, over HTTP. */
export async function measureRecords(executable: string, sizes: Sizes, note: Note): Promise<void> {
  await using lab = await Lab.open({
    executable,
    fill: (path, { owner, qpu }) => {
      fillJobs(path, { user: owner, qpu }, sizes.stored)
    },
  })
  const { url } = lab.service
  const side: Omit<Side, keyof AsyncDisposable | 'name'> = {
    ...{ url, token: lab.token, admin: await lab.service.admin(), user: lab.owner, qpu: lab.qpu },
  }
  const records = (collection: string, query: Record<string, string> = {}) =>
    `/api/collections/${collection}/records?${new URLSearchParams(query)}`
  const { token, admin } = side
  const own = { filter: `user_id = "${side.user}" && status = "completed"`, sort: '-created' }
  const view = `/api/collections/quantum_jobs/records/${jobId(7)}`
  const notice = { title: 'Maintenance', description: 'From 9', start_time: '2026-01-01 09:00:00.000Z' }
  const calls: [string, () => Promise<unknown>][] = [
    ['view of a job', () => request(url, 'GET', view, { token })],
    ['list with filter and total', () => request(url, 'GET', records('quantum_jobs', own), { token })],
    [
      'list without total',
      () => request(url, 'GET', records('quantum_jobs', { ...own, skipTotal: 'true' }), { token }),
    ],
    [
      'create of a notification',
      () => request(url, 'POST', records('notifications'), { token: admin, body: notice }),
    ],
    ['auth-refresh', () => request(url, 'POST', '/api/collections/users/auth-refresh', { token, body: {} })],
  ]
  for (const [name, call] of calls) {
    await callsPerSecond(WIDTH, Math.ceil(sizes.requests / 5), call)
    note(name, 'per s', await callsPerSecond(WIDTH, sizes.requests, call))
  }
  note(`change sent to ${sizes.streams} streams`, 'ms', await fanOut(side, sizes))
}

/** The median time in ms until all streams have received a change. */
async function fanOut(side: Parameters<typeof StreamGroup.open>[0], sizes: Sizes): Promise<number> {
  await using group = await StreamGroup.open(side, sizes.streams)
  await group.change('first')
  const times: number[] = []
  for (let at = 0; at < sizes.changes; at += 1) times.push(await group.change(`reason ${at}`))
  return percentile(times, 0.5)
}
