import { expect, setDefaultTimeout, test } from 'bun:test'
import { fromTimestamp } from '../../../src/base/index.ts'
import { Service } from '../../support/executable/service.ts'
import { postgresMissing } from '../../support/postgres/server.ts'
import { TwoServers } from '../../support/postgres/two-servers.ts'
import { PROGRAM } from '../../support/server/access/row.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { part, RUNS_WHOLE } from '../../support/whole.ts'

// A session whose holder is lost: its client, its node, the program that would have ended it.
setDefaultTimeout(1_800_000)

const IDLE_SECONDS = 2
/** Promised, and measured alone with `SVC_TESTS=whole`; other tests delay the server. */
const MAX_HELD_MS = RUNS_WHOLE ? 1_000 * (IDLE_SECONDS + 1) : Number.POSITIVE_INFINITY
const MAX_AFTER_START_MS = RUNS_WHOLE ? 1_000 : Number.POSITIVE_INFINITY

interface Session {
  id: string
  state: string
  activated_at: string
  stopped_at: string
}
type User = { token: string }

async function start(service: Service, { token }: User, qpu_target: string): Promise<Session> {
  const body = { qpu_target, seconds: 600, idle_seconds: IDLE_SECONDS }
  const { body: started } = await service.call<Session>('POST', '/api/sessions', { token, body })
  return until('the session to be active', async () => {
    const found = await read(service, { token }, started.id)
    return found.state === 'active' && found
  })
}

async function read(service: Service, { token }: User, id: string): Promise<Session> {
  return (await service.call<Session>('GET', `/api/sessions/${id}`, { token })).body
}

/** Runs a job; returns when it started and ended, ms since the epoch. */
async function run(service: Service, { token }: User, qpu_target: string) {
  const body = { circuits: [{ circuit: PROGRAM }], shots: 1, qpu_target }
  const { body: sent } = await service.call<{ id: string }>('POST', '/api/jobs', { token, body })
  const ended = await until('the job to end', async () => {
    const job = await service.call<{ status: string; started_at: string; finished_at: string }>(
      'GET',
      `/api/jobs/${sent.id}`,
      { token },
    )
    return job.body.status === 'completed' && job.body
  })
  return { from: fromTimestamp(ended.started_at) ?? 0, to: fromTimestamp(ended.finished_at) ?? 0 }
}

test('a QPU is free when its session has been idle, and a second later at the latest', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  const [holder, other] = [
    await service.createUser(1e6, 'ada@example.org'),
    await service.createUser(1e6, 'bob@example.org'),
  ]
  const driver = service.startDriver('driver', await service.createQpu('kelvin'))
  await service.untilOnline('kelvin')
  const heldMs: number[] = []
  for (let round = 0; round < part(100, 2); round++) {
    const { id, activated_at } = await start(service, holder, 'kelvin')
    const worked = round % 2 === 1 ? await run(service, holder, 'kelvin') : undefined
    // Whoever holds it is lost.
    const { from } = await run(service, other, 'kelvin')
    heldMs.push(from - (worked?.to ?? fromTimestamp(activated_at) ?? 0))
    await service.call('DELETE', `/api/sessions/${id}`, holder)
  }
  console.info(`free after ${Math.min(...heldMs)} to ${Math.max(...heldMs)} ms`)
  expect(Math.min(...heldMs)).toBeGreaterThanOrEqual(1_000 * IDLE_SECONDS)
  expect(Math.max(...heldMs)).toBeLessThanOrEqual(MAX_HELD_MS)
  driver.kill()
  await service.stop()
  expect((await service.doctor()).status).toBe(0)
})

/** How long after a moment the session of a server that runs again does not hold the QPU any more, ms. */
async function freeAfter(service: Service, user: User, id: string): Promise<number> {
  const begun = performance.now()
  await until('the QPU to be free', async () => (await read(service, user, id)).state !== 'active', {
    intervalMs: 20,
  })
  return performance.now() - begun
}

test('after the server was killed, its session does not hold the QPU a second longer', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  const holder = await service.createUser(1e6, 'ada@example.org')
  const driver = service.startDriver('driver', await service.createQpu('kelvin'))
  const after: number[] = []
  for (let round = 0; round < part(100, 1); round++) {
    await service.untilOnline('kelvin')
    const { id } = await start(service, holder, 'kelvin')
    await Bun.sleep(Math.random() * 1_000)
    await service.stop('SIGKILL')
    await Bun.sleep(1_000 * IDLE_SECONDS)
    await service.start()
    after.push(await freeAfter(service, holder, id))
    await service.call('DELETE', `/api/sessions/${id}`, holder)
  }
  console.info(`free ${Math.min(...after).toFixed()} to ${Math.max(...after).toFixed()} ms after the start`)
  expect(Math.max(...after)).toBeLessThanOrEqual(MAX_AFTER_START_MS)
  driver.kill()
  await service.stop()
  expect((await service.doctor()).status).toBe(0)
})

test.skipIf(postgresMissing !== undefined)('nor does it when another server leads', async () => {
  await using both = await TwoServers.start()
  const holder = await both.leader.createUser(1e6, 'ada@example.org')
  await using _driver = both.startDriver('driver', await both.leader.createQpu('kelvin'))
  const after: number[] = []
  for (let round = 0; round < part(100, 1); round++) {
    await both.untilOnline()
    const { id } = await start(both.leader, holder, 'kelvin')
    await both.leader.stop('SIGKILL')
    await both.takeover()
    after.push(await freeAfter(both.leader, holder, id))
    await both.leader.call('DELETE', `/api/sessions/${id}`, holder)
    await both.startStandby()
  }
  console.info(
    `free ${Math.min(...after).toFixed()} to ${Math.max(...after).toFixed()} ms after the takeover`,
  )
  expect(Math.max(...after)).toBeLessThanOrEqual(MAX_AFTER_START_MS)
})
