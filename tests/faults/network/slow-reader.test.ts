import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { startSvc } from '../../support/executable/background-process.ts'
import { type JobSeen, submit, timesOf } from '../../support/executable/job-calls.ts'
import { BELL, Service } from '../../support/executable/service.ts'
import { closeRow, faultRuns } from '../../support/faults/fault-runs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

// F12: receivers that do not read. The buffers for them are bounded, and they are disconnected.
const RUNS = faultRuns(1)
setDefaultTimeout(60_000 + RUNS * 20_000)

const MIB = 1024 * 1024
const folder = temporaryFolder()
let service: Service
let user: { id: string; token: string }
let qpu: { token: string; fingerprint: string }

beforeAll(async () => {
  const flags = ['--job-timeout', '1500ms', '--recovery-interval', '100ms', '--max-attempts', '0']
  service = await Service.install(folder.path, { flags })
  await service.start()
  user = await service.createUser(1_000_000)
  qpu = await service.createQpu('deaf')
  await service.createQpu('idle')
})

afterAll(async () => {
  await service.stop()
  expect((await service.doctor()).out).toContain('no problems found')
  folder[Symbol.dispose]()
})

/** Resident memory of the server in MiB. */
function memory(): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kib) / 1024)
}

/** A job with a program of `bytes`, most of it a comment. */
const large = (bytes: number) => ({ circuits: [{ circuit: `// ${'x'.repeat(bytes)}\n${BELL}` }], shots: 10 })

/** One job without its large program. */
async function readBriefly(id: string): Promise<JobSeen> {
  const path = `/api/jobs/${id}?fields=status,attempt,timeline`
  return (await service.call<JobSeen>('GET', path, { token: user.token })).body
}

/** Opens a stream of all jobs and reads no more of it than its id. */
async function openDeafStream(): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1')
  let head = ''
  socket.on('data', (chunk: Buffer) => {
    head += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  socket.write('GET /api/realtime HTTP/1.1\r\nHost: x\r\n\r\n')
  const clientId = await until('the id', async () => /"clientId":"(\w+)"/.exec(head)?.[1])
  const options = encodeURIComponent(JSON.stringify({ query: { fields: 'id,payload' } }))
  const body = { clientId, subscriptions: [`quantum_jobs/*?options=${options}`] }
  expect((await service.call('POST', '/api/realtime', { body })).status).toBe(204)
  socket.pause()
  return socket
}

async function openStreams(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^svc_event_streams (\d+)$/m.exec(text)?.[1])
}

const STREAMS = 20
const CHANGE_BYTES = 100_000

test('streams that are not read are closed at their limit, and memory does not grow with the changes', async () => {
  for (let run = 0; run < RUNS; run += 1) {
    const sockets = await Promise.all(Array.from({ length: STREAMS }, openDeafStream))
    expect(await openStreams()).toBe(STREAMS)
    const before = memory()
    let most = before
    let sent = 0
    await until(
      'the end of every stream',
      async () => {
        await submit(service, user.token, { ...large(CHANGE_BYTES), qpu_target: 'idle' })
        sent += STREAMS * CHANGE_BYTES
        most = Math.max(most, memory())
        return (await openStreams()) === 0
      },
      { timeoutMs: 30_000, intervalMs: 0 },
    )
    for (const socket of sockets) socket.destroy()
    closeRow('F12 streams', { run, sent_mib: Math.round(sent / MIB), before_mib: before, most_mib: most })
    // Each may leave 1 MiB and an event; the rest is memory that the runtime has not released yet.
    expect(most - before).toBeLessThan(150)
  }
})

test('a driver that does not read has one job waiting for it, and is let go', async () => {
  const args = service.driverArgs('deaf', qpu.fingerprint, 'mock')
  await using driver = startSvc(args, { cwd: folder.path, env: { SVC_ACCESS_TOKEN: qpu.token } })
  for (let run = 0; run < RUNS; run += 1) {
    await service.untilOnline('deaf')
    const before = memory()
    driver.process.kill('SIGSTOP')
    const ids = await Promise.all(
      [8 * MIB, 1, 1].map((bytes) => submit(service, user.token, { ...large(bytes), qpu_target: 'deaf' })),
    )
    const most = memory()
    const jobs = () => Promise.all(ids.map(readBriefly))
    await until('the one job to be lost', async () => (await jobs()).some((job) => timesOf(job, 'lost') > 0))
    expect((await jobs()).filter((job) => job.attempt > 0)).toHaveLength(1)
    expect(service.log).toContain('no heartbeat from the driver')
    driver.process.kill('SIGCONT')
    await until('the jobs', async () => (await jobs()).every((job) => job.status === 'completed'))
    expect((await jobs()).map((job) => timesOf(job, 'completed'))).toEqual([1, 1, 1])
    closeRow('F12 driver', { run, before_mib: before, most_mib: most })
    expect(most - before).toBeLessThan(300)
  }
})
