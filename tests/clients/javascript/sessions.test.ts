import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  AuthenticationError,
  NotFoundError,
  SessionEndedError,
  SvcClient,
  SvcError,
} from '../../../clients/js/src/index.ts'
import { openFileService } from '../../support/executable/file-service.ts'
import { BELL } from '../../support/executable/service.ts'

setDefaultTimeout(60_000)

const { service, user } = await openFileService()
const qpu = await service.createQpu('kelvin')
service.startDriver('kelvin', qpu, 'mock')
await service.untilOnline('kelvin')
const second = await service.createUser(1_000, 'second@example.org')
const tokenOf = async ({ token }: { token: string }) =>
  (await service.call<{ token: string }>('POST', '/api/tokens', { token, body: {} })).body.token
const svc = new SvcClient({ baseUrl: service.url, apiToken: await tokenOf(user) })
const other = new SvcClient({ baseUrl: service.url, apiToken: await tokenOf(second) })
const bell = { circuits: [BELL], shots: 5 }
const wait = { timeoutMs: 30_000 }

const VARIABLES = ['SVC_ADDR', 'SVC_API_TOKEN', 'SVC_SESSION', 'SVC_QPU'] as const
afterEach(() => {
  for (const name of VARIABLES) delete process.env[name]
})

test('jobs of others wait while one holds the QPU, and those inside run before its end', async () => {
  const [foreign, last, id] = await svc.session('kelvin', { seconds: 300 }, async (held, session) => {
    expect(session.state).toBe('active')
    const waiting = await other.submitJob({ ...bell, qpu: 'kelvin' })
    for (let step = 0; step < 5; step++) {
      expect((await held.run(bell, wait)).metadata['device']).toBe('mock')
      const now = await other.job(waiting.id)
      expect([now.status, now.waiting?.code]).toEqual(['pending', 'in_session'])
    }
    return [waiting, await held.submitJob(bell), session.id] as const
  })
  const inside = await svc.job(last.id)
  expect([inside.status, inside.chargedSeconds]).toEqual(['completed', 0])
  expect((await foreign.wait(wait)).status).toBe('completed')
  expect(await svc.sessions.get(id)).toMatchObject({ state: 'closed', end: 'ended' })
})

test('an error ends a session, and one that has ended takes no jobs', async () => {
  const failed = svc.session('kelvin', {}, async (_, { id }) => {
    throw new RangeError(id)
  })
  const id = await failed.catch((error: RangeError) => error.message)
  expect((await svc.sessions.get(id)).state).toBe('closed')
  const ended = svc.session('kelvin', {}, async (held, session) => {
    await svc.sessions.end(session.id)
    await held.submitJob(bell)
  })
  expect(await ended.catch((error) => error)).toBeInstanceOf(SessionEndedError)
  await expect(svc.sessions.wait(id)).rejects.toThrow('has ended (ended)')
  const nowhere = await svc.session('nowhere', {}, async () => {}).catch((error) => error)
  expect(nowhere).toBeInstanceOf(NotFoundError)
  expect(nowhere.code).not.toBe('no_sessions')
})

test('a session waits for those before it, until its signal ends that', async () => {
  await svc.session('kelvin', { seconds: 300 }, async () => {
    const options = { signal: AbortSignal.timeout(1_000) }
    await expect(other.session('kelvin', options, async () => {})).rejects.toThrow('timed out')
    expect((await other.sessions.list({ limit: 1 }))[0]?.state).toBe('closed')
  })
})

test('a program of a batch job needs no arguments', async () => {
  const started = await svc.sessions.start('kelvin', { seconds: 300, holder: { kind: 'slurm', id: '4711' } })
  process.env['SVC_ADDR'] = service.url
  process.env['SVC_SESSION'] = started.secret
  process.env['SVC_QPU'] = 'kelvin'
  const own = new SvcClient()
  const job = await own.submitJob(bell)
  expect((await job.wait(wait)).chargedSeconds).toBe(0)
  const refused = await own.me().catch((error) => error)
  expect(refused).toBeInstanceOf(AuthenticationError)
  expect(refused.message).toContain('The secret of a session submits and reads jobs only')
  const [id, result] = await own.session(undefined, {}, async (held, session) => [
    session.id,
    await held.run(bell, wait),
  ])
  expect([id, result.counts() !== undefined]).toEqual([started.id, true])
  expect((await svc.sessions.get(started.id)).state).toBe('active')
  await expect(own.session('celsius', {}, async () => {})).rejects.toThrow(
    'SVC_SESSION is a session on QPU kelvin, not on celsius',
  )
  const elsewhere = await own.submitJob({ ...bell, qpu: qpu.id }).then(({ qpu: where }) => where)
  expect(elsewhere).toBe(qpu.id)
  // One job of an array ends what holds the session for itself alone, with an API token, too.
  const sibling = await svc.sessions.start('kelvin', { holder: { kind: 'slurm', id: '4712' } })
  process.env['SVC_API_TOKEN'] = await tokenOf(user)
  expect((await new SvcClient().sessions.end(started.id)).state).toBe('active')
  expect((await svc.sessions.end(sibling.id)).state).toBe('closed')
  expect(await own.submitJob(bell).catch((error) => error)).toBeInstanceOf(SvcError)
  expect((await own.job(job.id)).status).toBe('completed')
  delete process.env['SVC_SESSION']
  expect((await new SvcClient().run(bell, wait)).metadata['device']).toBe('mock')
})
