/**
 * What requests that wait for jobs cost (`GET /api/jobs/{id}?wait=60`), 5,000 of them at the same time,
 * against the built executable: `bun bench/waiting.ts [--waits 5000] [--rounds 3]`.
 *
 * Memory is the growth of the resident set of the server, with its share of the sockets of the runtime. Times
 * begin at `finished_at`, which the server notes just before it commits, and end when the client has the
 * whole response. Processor time is that of all threads of the server.
 */
import { readFileSync } from 'node:fs'
import { type RawResponse, rawGet } from '../tests/support/sockets/raw-get.ts'
import { until } from '../tests/support/until.ts'
import { callsPerSecond } from './support/calls-per-second.ts'
import { percentile, spreadOf } from './support/figures.ts'
import { Lab } from './support/lab.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from './support/output.ts'
import { postJob } from './support/post-job.ts'
import { usedMs } from './support/processor-time.ts'

const PER_USER = 500
const REST_MS = 10_000
const OPENED_TOGETHER = 50
const ENDED_ONE_BY_ONE = 1_000

const { rounds, waits } = startBench('Waiting for jobs', { waits: '5000' })
const users = Math.ceil(Number(waits) / PER_USER)

const found: Record<string, number[]> = {}
const note = (name: string, value: number) => {
  found[name] = [...(found[name] ?? []), value]
}

function memoryKib(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

async function restMs(pid: number): Promise<number> {
  const before = usedMs(pid)
  await Bun.sleep(REST_MS)
  return ((usedMs(pid) - before) * 1_000) / REST_MS
}

/** ms from the commit of a job's end to its response. */
const delayOf = ({ body }: RawResponse, arrivedAt: number) =>
  Math.max(0, arrivedAt - Date.parse(JSON.parse(body).finished_at))

for (let round = 0; round < rounds; round += 1) {
  await using lab = await Lab.open()
  const { service } = lab
  const pid = service.pid ?? Number.NaN
  const accounts = [{ id: lab.owner, token: lab.token }]
  while (accounts.length < users)
    accounts.push(await service.createUser(1_000_000, `user${accounts.length}@example.org`))
  const jobs: { id: string; token: string }[] = []
  for (const { token } of accounts) {
    const ids: string[] = []
    await callsPerSecond(16, PER_USER, async () => {
      ids.push((await postJob(service.url, token)).id)
    })
    jobs.push(...ids.map((id) => ({ id, token })))
  }
  const cancel = ({ id, token }: { id: string; token: string }) =>
    service.call('POST', `/api/jobs/${id}/cancel`, { token })
  const open = async (of: (at: number) => { id: string; token: string }) => {
    const responses: Promise<{ response: RawResponse; arrivedAt: number }>[] = []
    for (const at of jobs.keys()) {
      const { id, token } = of(at)
      const path = `/api/jobs/${id}?wait=60&fields=status,finished_at`
      const response = rawGet(service.url, path, token)
      responses.push(response.then((each) => ({ response: each, arrivedAt: Date.now() })))
      // More simultaneous connections would exceed the backlog of the port.
      if (at % OPENED_TOGETHER === 0) await Bun.sleep(10)
    }
    return responses
  }
  const untilOpen = () =>
    until('the requests to wait', async () => {
      const text = await (await fetch(`${service.url}/metrics`)).text()
      return new RegExp(`^svc_waiting_requests ${jobs.length}$`, 'm').test(text)
    })
  note('processor time without waiting requests, ms per s', await restMs(pid))
  const before = memoryKib(pid)
  const responses = await open((at) => jobs[at] as (typeof jobs)[0])
  await untilOpen()
  note('processor time with all of them waiting, ms per s', await restMs(pid))
  note('memory per waiting request, KiB', (memoryKib(pid) - before) / jobs.length)
  for (const job of jobs.slice(0, ENDED_ONE_BY_ONE)) await cancel(job)
  const ended = await Promise.all(responses.slice(0, ENDED_ONE_BY_ONE))
  const delays = ended.map(({ response, arrivedAt }) => delayOf(response, arrivedAt))
  note('from commit to response, p50, ms', percentile(delays, 0.5))
  note('from commit to response, p99, ms', percentile(delays, 0.99))
  // The others run out of time, then all requests of a user wait for one job.
  await Promise.all(responses)
  const shared = await Promise.all(
    accounts.map(async ({ token }) => ({ token, id: (await postJob(service.url, token)).id })),
  )
  const together = await open((at) => shared[Math.floor(at / PER_USER)] as (typeof shared)[0])
  await untilOpen()
  await Promise.all(shared.map(cancel))
  const all = (await Promise.all(together)).map(({ response, arrivedAt }) => delayOf(response, arrivedAt))
  note('all respond to 10 commits at once, p50, ms', percentile(all, 0.5))
  note('all respond to 10 commits at once, last, ms', percentile(all, 1))
}
printTable(
  [`${users * PER_USER} waiting requests of ${users} users`, ...SPREAD_HEAD],
  Object.entries(found).map(([name, values]) => [name, ...spreadCells(spreadOf(values))]),
)
