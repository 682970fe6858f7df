import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { hasGo } from '../support/clients/go.ts'
import { type Fate, HostileProxy } from '../support/clients/hostile-proxy.ts'
import { openRunner } from '../support/clients/runners.ts'
import { BELL, Service } from '../support/executable/service.ts'
import { openClientPython } from '../support/python/python.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(600_000)

const JOBS = 500
const hasPython = (await openClientPython()) !== undefined
const CLIENTS = [
  { client: 'js', command: 'submit', isHere: true },
  { client: 'go', command: 'submit', isHere: hasGo },
  { client: 'python', command: 'submit', isHere: hasPython },
  { client: 'python', command: 'submit-asynchronously', isHere: hasPython },
  { client: 'command line', command: 'submit', isHere: true },
] as const

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]()
})

/** A server with a QPU without a driver, and a proxy in front of it. */
async function openLine() {
  const folder = temporaryFolder()
  const service = await Service.install(folder.path)
  await service.start()
  const { token } = await service.createUser(1_000_000)
  await service.createQpu('kelvin')
  const proxy = await HostileProxy.open(service.port)
  open.push(proxy, {
    async [Symbol.asyncDispose]() {
      await service.close()
      folder[Symbol.dispose]()
    },
  })
  return { service, proxy, token }
}

/** The ids of so many completed jobs. */
async function completedJobs(service: Service, token: string, count: number): Promise<string[]> {
  const qpu = await service.createQpu('mock')
  service.startDriver('mock', qpu, 'mock')
  await service.untilOnline('mock')
  const body = { circuits: [BELL], shots: 10, qpu_target: 'mock' }
  const ids: string[] = []
  for (let each = 0; each < count; each += 1)
    ids.push((await service.call<{ id: string }>('POST', '/api/jobs', { token, body })).body.id)
  await until('all jobs to complete', async () => {
    const path = '/api/jobs/count?status=completed'
    return (await service.call<{ count: number }>('GET', path, { token })).body.count === count
  })
  return ids
}

async function namesOn(service: Service, token: string): Promise<string[]> {
  const { body } = await service.call<{ name: string }[]>('GET', '/api/jobs?limit=1000&fields=name', {
    token,
  })
  return body.map(({ name }) => name).toSorted()
}

/** Cuts three of ten requests, with their response, at a random byte. */
function randomCut(): Fate {
  if (Math.random() >= 0.3) return undefined
  const share = Math.random()
  return Math.random() < 0.5 ? { of: 'request', share } : { of: 'response', share }
}

describe.each(CLIENTS.slice(0, 3))('readings of $client', ({ client, isHere }) => {
  test.skipIf(!isHere)(
    `of ${JOBS} finished jobs pass the same line, and a server that restarts`,
    async () => {
      const { service, proxy, token } = await openLine()
      const ids = await completedJobs(service, token, JOBS)
      const startRunner = await openRunner(client)
      const read = (count: number) =>
        startRunner(['read', ids.slice(0, count).join(',')], { url: proxy.url, token })
      for (const count of [40, JOBS]) {
        proxy.fate = randomCut
        const before = proxy.requests
        const started = performance.now()
        expect(await read(count).rest()).toEqual([`completed ${count}`])
        const took = Math.round(performance.now() - started)
        console.log(`${client}: ${count} jobs, ${proxy.requests - before} requests, ${took} ms`)
      }
      proxy.fate = () => undefined
      await service.stop('SIGKILL')
      const late = read(40)
      const end = Date.now() + 15_000
      await until('15 s to pass', () => Date.now() >= end)
      await service.start()
      expect(await late.rest()).toEqual(['completed 40'])
    },
  )
})

describe.each(CLIENTS)('submissions of $client ($command)', ({ client, command, isHere }) => {
  test.skipIf(!isHere)(
    `make exactly ${JOBS} jobs through a line that cuts 30 % of the requests`,
    async () => {
      const { service, proxy, token } = await openLine()
      proxy.fate = randomCut
      const startRunner = await openRunner(client)
      const ids = await startRunner([command, JOBS], { url: proxy.url, token }).rest()
      expect(proxy.requests).toBeGreaterThan(JOBS)
      expect(new Set(ids).size).toBe(JOBS)
      expect(await namesOn(service, token)).toEqual(
        Array.from({ length: JOBS }, (_, at) => `job ${at}`).toSorted(),
      )
    },
  )

  test.skipIf(!isHere)('outlast a server that is down for 15 s', async () => {
    const { service, proxy, token } = await openLine()
    const startRunner = await openRunner(client)
    await service.stop('SIGKILL')
    const runner = startRunner([command, 20], { url: proxy.url, token })
    const end = Date.now() + 15_000
    await until('15 s to pass', () => Date.now() >= end)
    await service.start()
    expect(new Set(await runner.rest()).size).toBe(20)
    expect(await namesOn(service, token)).toHaveLength(20)
  })
})
