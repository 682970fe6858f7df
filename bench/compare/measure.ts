import { Service } from '../../tests/support/executable/service.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { fillJobs, jobId, request, type Side } from '../record-store/side.ts'
import { StreamGroup } from '../record-store/stream-group.ts'
import { callsPerSecond } from '../support/calls-per-second.ts'
import { percentile } from '../support/figures.ts'
import { endsOf } from '../support/job-rates.ts'
import { measureJobs } from '../support/job-times.ts'
import { Lab } from '../support/lab.ts'
import { usedMs } from '../support/processor-time.ts'
import type { Unit } from './comparison.ts'

/** Amounts that are measured in each round. */
export interface Sizes {
  /** Jobs that are timed one after the other. */
  jobs: number
  /** Jobs of each throughput measurement. */
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

/** One measurement of one executable, which is repeated in each round. */
type Measurement = (note: Note) => Promise<void>

/** An executable under comparison. Its servers stay up, so that rounds can be short and many. */
export interface Bench extends AsyncDisposable {
  /** In the order in which a round runs them, equal for all executables. */
  readonly measurements: readonly Measurement[]
}

/** Requests that run at the same time. */
const WIDTH = 8

/** Installs the servers of one executable and warms them up. */
export async function openBench(executable: string, sizes: Sizes): Promise<Bench> {
  await using opened = new AsyncDisposableStack()
  const jobs = opened.use(await Lab.open({ executable }))
  await jobs.startDriver()
  await measureJobs(jobs, sizes.jobs)
  const records = opened.use(await openRecords(executable, sizes.stored))
  const held = opened.move()
  return {
    measurements: [
      (note) => measureStart(executable, note),
      (note) => measureLatency(jobs, sizes, note),
      (note) => measureDrained(jobs, sizes.queued, note),
      (note) => measureConcurrent(jobs, sizes.queued, note),
      ...(await recordCalls(records)).map(
        ([name, call]): Measurement =>
          async (note) => {
            const cost = startCost(records)
            note(name, 'per s', await callsPerSecond(WIDTH, sizes.requests, call))
            note(`${name}, processor time`, 'ms', cost(sizes.requests))
          },
      ),
      (note) => measureFanOut(records, sizes, note),
    ],
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** Start-up in a new installation. */
async function measureStart(executable: string, note: Note): Promise<void> {
  using folder = temporaryFolder()
  const service = await Service.install(folder.path, { executable })
  const used = (pid: number | undefined) => usedMs(pid ?? Number.NaN)
  note('first start', 'ms', await service.start())
  // `start` requests the description of the API once.
  note('first start and description of the API, processor time', 'ms', used(service.pid))
  await service.stop()
  note('later start', 'ms', await service.start())
  note('later start, processor time', 'ms', used(service.pid))
  await service.stop()
  await using lab = await Lab.open({ executable })
  note('driver, to online', 'ms', await lab.startDriver())
  note('driver, to online, its processor time', 'ms', used(lab.driverPid))
}

async function measureLatency(lab: Lab, sizes: Sizes, note: Note): Promise<void> {
  const times = await measureJobs(lab, sizes.jobs)
  const submitted = times.map((each) => each.submitted)
  const completed = times.map((each) => each.completed)
  note('response to a submission, p50', 'ms', percentile(submitted, 0.5))
  note('submission to completion, p50', 'ms', percentile(completed, 0.5))
  note('submission to completion, p90', 'ms', percentile(completed, 0.9))
}

/** A queue that is full before the QPU takes jobs. */
async function measureDrained(lab: Lab, count: number, note: Note): Promise<void> {
  await lab.setDrain(true)
  const ids = await lab.submitMany(count, WIDTH)
  const cost = startCost(lab)
  await lab.setDrain(false)
  await lab.untilCompleted(ids)
  note('job, drained, processor time', 'ms', cost(count))
  const { first, last } = await endsOf(lab, ids)
  note('jobs, drained', 'per s', (count - 1) / ((last - first) / 1_000))
}

/** Jobs that are submitted while others run. */
async function measureConcurrent(lab: Lab, count: number, note: Note): Promise<void> {
  const cost = startCost(lab)
  const start = Date.now()
  const ids = await lab.submitMany(count, WIDTH)
  await lab.untilCompleted(ids)
  note('job, submitted concurrently, processor time', 'ms', cost(count))
  const { last } = await endsOf(lab, ids)
  note('jobs, submitted concurrently', 'per s', count / ((last - start) / 1_000))
}

/** Counts the processor time of server and driver from now on; call the result with the number of jobs. */
function startCost({ service, driverPid }: Lab): (count: number) => number {
  const pids = [service.pid, driverPid].filter((pid) => pid !== undefined)
  const used = () => pids.reduce((sum, pid) => sum + usedMs(pid), 0)
  const before = used()
  return (count) => (used() - before) / count
}

/** A server with `stored` jobs in its database. */
function openRecords(executable: string, stored: number): Promise<Lab> {
  return Lab.open({
    executable,
    fill: (path, { owner, qpu }) => {
      fillJobs(path, { user: owner, qpu }, stored)
    },
  })
}

/** The requests to the record store whose rates are compared. */
async function recordCalls(lab: Lab): Promise<[string, () => Promise<unknown>][]> {
  const { owner, token } = lab
  const { url } = lab.service
  const admin = await lab.service.admin()
  const records = (collection: string, query: Record<string, string> = {}) =>
    `/api/collections/${collection}/records?${new URLSearchParams(query)}`
  const own = { filter: `user_id = "${owner}" && status = "completed"`, sort: '-created' }
  const view = `/api/collections/quantum_jobs/records/${jobId(7)}`
  const notice = { title: 'Maintenance', description: 'From 9', start_time: '2026-01-01 09:00:00.000Z' }
  return [
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
}

/** The median time until all streams have received a change. */
async function measureFanOut(lab: Lab, sizes: Sizes, note: Note): Promise<void> {
  const target: Pick<Side, 'url' | 'admin' | 'qpu'> = {
    url: lab.service.url,
    admin: await lab.service.admin(),
    qpu: lab.qpu,
  }
  await using group = await StreamGroup.open(target, sizes.streams)
  await group.change('first')
  const name = `change sent to ${sizes.streams} streams`
  const cost = startCost(lab)
  const times: number[] = []
  for (let at = 0; at < sizes.changes; at += 1) times.push(await group.change(`reason ${at}`))
  note(`${name}, processor time`, 'ms', cost(sizes.changes))
  note(name, 'ms', percentile(times, 0.5))
}
