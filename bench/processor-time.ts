/**
 * Compares the processor time per request of two executables: `bun bench/processor-time.ts OLD NEW
 * [--requests 2000] [--stored 100000] [--only TEXT]`. Both servers run at the same time and take turns in
 * batches of 50 requests, so that other load on the machine affects both. Unlike durations, processor time
 * can be compared on a busy machine.
 *
 * Prints medians over the batches in ms per request, of all threads and child processes of the server, and
 * by how many percent NEW takes more in the median and at the 20th percentile.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fillJobs, jobId, request } from './record-store/side.ts'
import { StreamGroup } from './record-store/stream-group.ts'
import { callsPerSecond } from './support/calls-per-second.ts'
import { percentile } from './support/figures.ts'
import { Lab } from './support/lab.ts'
import { printTable } from './support/output.ts'
import { usedMs } from './support/processor-time.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: '2000' },
    stored: { type: 'string', default: '100000' },
    only: { type: 'string', default: '' },
  },
})
const [before, after] = positionals.map((path) => resolve(path))
const [requests, stored] = [Number(values.requests), Number(values.stored)]
if (!before || !after || !(requests > 0) || !(stored > 0)) {
  console.error(
    'usage: bun bench/processor-time.ts OLD NEW [--requests 2000] [--stored 100000] [--only TEXT]',
  )
  process.exit(2)
}

/** Requests of one side before the other has its turn. */
const BATCH = 50
const STREAMS = 200

interface Side {
  lab: Lab
  admin: string
  pid: number
  calls: Record<string, Measured>
}

interface Measured {
  /** Requests at the same time. */
  width: number
  call: () => Promise<unknown>
  /** Requests of one batch. */
  batch?: number
}

async function openSide(executable: string): Promise<Side> {
  const lab = await Lab.open({
    executable,
    fill: (path, { owner, qpu }) => fillJobs(path, { user: owner, qpu }, stored),
  })
  const { service, token, owner } = lab
  const { url } = service
  const admin = await service.admin()
  const pid = service.pid ?? Number.NaN
  const records = (collection: string, query: Record<string, string> = {}) =>
    `/api/collections/${collection}/records?${new URLSearchParams(query)}`
  const own = { filter: `user_id = "${owner}" && status = "completed"`, sort: '-created' }
  const view = `/api/collections/quantum_jobs/records/${jobId(7)}`
  const notice = { title: 'Maintenance', description: 'From 9', start_time: '2026-01-01 09:00:00.000Z' }
  const get = (path: string, auth = '') => ({
    width: 8,
    call: () => request(url, 'GET', path, { token: auth }),
  })
  const post = (path: string, auth: string, body: unknown, method = 'POST') => ({
    width: 8,
    call: () => request(url, method, path, { token: auth, body }),
  })
  const newest = { sort: '-created', skipTotal: 'true' }
  const note = await request<{ id: string }>(url, 'POST', records('notifications'), {
    token: admin,
    body: notice,
  })
  const calls: Record<string, Measured> = {
    health: get('/api/health'),
    'guest: list of QPUs, with total': get(records('qpus')),
    'guest: list of QPUs, without total': get(records('qpus', { skipTotal: 'true' })),
    'guest: list of QPUs, filter': get(records('qpus', { filter: 'name = "bench_qpu" && enabled = true' })),
    'guest: view of a QPU': get(`/api/collections/qpus/records/${lab.qpu}`),
    'user: list of QPUs, with total': get(records('qpus'), token),
    'own completed jobs, with total': get(records('quantum_jobs', own), token),
    'own completed jobs, without total': get(records('quantum_jobs', { ...own, skipTotal: 'true' }), token),
    'newest of all jobs': get(records('quantum_jobs', newest), token),
    'own jobs (/api/jobs)': get('/api/jobs', token),
    'view of a job record': get(view, token),
    'view of a job (/api/jobs/:id)': get(`/api/jobs/${jobId(7)}`, token),
    'create of a notification': post(records('notifications'), admin, notice),
    'update of a notification': post(
      `/api/collections/notifications/records/${note.id}`,
      admin,
      { title: 'Other' },
      'PATCH',
    ),
    'auth-refresh': post('/api/collections/users/auth-refresh', token, {}),
    'submission, one at a time': { width: 1, call: () => lab.submit() },
    'submission, 16 at a time': { width: 16, call: () => lab.submit() },
  }
  return { lab, admin, pid, calls }
}

const sides = [await openSide(before), await openSide(after)]
const names = Object.keys(sides[0]?.calls ?? {}).filter((name) => name.includes(values.only))
const rows: (string | number)[][] = []
const round3 = (value: number) => Math.round(value * 1e4) / 1e4

async function compare(name: string, batches: number, size: number, run: (side: Side) => Promise<unknown>) {
  const figures: number[][] = [[], []]
  const warm = Math.ceil(batches / 5)
  for (let batch = -warm; batch < batches; batch += 1) {
    const order = batch % 2 === 0 ? [0, 1] : [1, 0]
    for (const at of order) {
      const side = sides[at]
      if (!side) continue
      const start = usedMs(side.pid)
      await run(side)
      if (batch >= 0) figures[at]?.push((usedMs(side.pid) - start) / size)
    }
  }
  const [old = Number.NaN, now = Number.NaN] = figures.map((each) => percentile(each, 0.5))
  const [oldLow = Number.NaN, nowLow = Number.NaN] = figures.map((each) => percentile(each, 0.2))
  const percent = (value: number) => `${value > 0 ? '+' : ''}${value.toFixed(1)} %`
  rows.push([
    name,
    round3(old),
    round3(now),
    percent((now / old - 1) * 100),
    percent((nowLow / oldLow - 1) * 100),
  ])
  console.error(rows.at(-1)?.join('  '))
}

for (const name of names) {
  await compare(name, Math.ceil(requests / BATCH), BATCH, async ({ calls }) => {
    const measured = calls[name]
    if (measured) await callsPerSecond(measured.width, BATCH, measured.call)
  })
}

if ('streams'.includes(values.only) || values.only.includes('streams')) {
  const groups = new Map<Side, StreamGroup>()
  for (const side of sides) {
    const { lab, admin } = side
    groups.set(side, await StreamGroup.open({ url: lab.service.url, admin, qpu: lab.qpu }, STREAMS))
  }
  let text = 0
  await compare(`change sent to ${STREAMS} streams`, 20, 5, async (side) => {
    for (let at = 0; at < 5; at += 1) await groups.get(side)?.change(`reason ${text++}`)
  })
  for (const group of groups.values()) await group[Symbol.asyncDispose]()
}
if (values.only === '' || values.only === 'jobs') {
  for (const { lab } of sides) await lab.startDriver()
  const drained = async ({ lab }: Side) => lab.untilCompleted([await lab.submit()])
  for (const side of sides) await drained(side)
  const tree = async (side: Side) => {
    const ids = await side.lab.submitMany(50, 8)
    await side.lab.untilCompleted(ids)
  }
  await compare('jobs, submitted to completed, server', 20, 50, tree)
  const pids = sides.map(({ pid }) => pid)
  for (const side of sides) side.pid = side.lab.driverPid ?? 0
  await compare('the same, driver with device process', 20, 50, tree)
  for (const [at, side] of sides.entries()) side.pid = pids[at] ?? 0
}
if (values.only === '' || values.only === 'idle') {
  await compare('idle, per s', 10, 1, () => Bun.sleep(1_000))
}
printTable([`ms of processor time`, 'old', 'new', 'more', 'p20 more'], rows)
for (const { lab } of sides) await lab[Symbol.asyncDispose]()
process.exit(0)
