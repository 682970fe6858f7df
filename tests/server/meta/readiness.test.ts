import { expect, test } from 'bun:test'
import { AppError } from '../../../src/base/index.ts'
import { Readiness, StorageHealth } from '../../../src/server/meta/readiness.ts'
import { openTestDatabase } from '../../support/database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer } from '../../support/server/server.ts'

test('GET /api/health?ready=1 is 200 while the server works; without the parameter the response is unchanged', async () => {
  await using server = await openTestServer({ settings: { httpsPort: '0' } })
  const healthy = { message: 'API is healthy.', code: 200, data: server.db.shared ? { role: 'leader' } : {} }
  for (const query of ['', '?ready=0', '?ready=1', '?ready=true']) {
    const { status, body } = await server.guest.get(`/api/health${query}`)
    expect([query, status, body]).toEqual([query, 200, healthy])
  }
  expect((await server.guest.get('/api/health?ready=yes')).status).toBe(400)
})

test('Readiness names each service that does not work', async () => {
  const problems = new Map<string, string>()
  const services = ['ports', 'dispatch'].map((name) => ({ name, health: () => problems.get(name) }))
  const readiness = new Readiness([...services, { name: 'mailer' }])
  await readiness.check()
  problems.set('dispatch', 'fails: no such table')
  problems.set('ports', 'the HTTPS port is not open')
  await expect(readiness.check()).rejects.toMatchObject({
    code: 'unavailable',
    reason: 'not_ready',
    message: 'Not ready: ports: the HTTPS port is not open; dispatch: fails: no such table',
    fields: {
      ports: { code: 'not_ready', message: 'the HTTPS port is not open' },
      dispatch: { code: 'not_ready', message: 'fails: no such table' },
    },
  })
})

test('StorageHealth writes at most once per second and reports the failure of other writers', async () => {
  await using test = await openTestDatabase()
  const clock = new FakeClock()
  let writes = 0
  let failure: AppError | undefined
  const write = (intent: string, work: Parameters<typeof test.db.write>[1]) => {
    writes += 1
    return test.db.write(intent, work)
  }
  const storage = {
    get failure() {
      return failure
    },
    refusals: 0,
  }
  const db = { ...test.db, write, storage } as typeof test.db
  const health = new StorageHealth(db, clock)
  for (let at = 0; at < 10; at++) expect(await health.check()).toBeUndefined()
  expect(writes).toBe(1)
  failure = new AppError('storage_full', 'The disk with the database is full')
  await clock.advance(1_000)
  expect(await health.check()).toBe('The disk with the database is full')
  const readiness = new Readiness([{ name: 'database', health: () => health.check() }])
  await expect(readiness.check()).rejects.toThrow('Not ready: database: The disk with the database is full')
  failure = undefined
  await clock.advance(1_000)
  await readiness.check()
  expect(writes).toBe(3)
})
