import { expect, test } from 'bun:test'
import { AppError } from '../../../src/base/index.ts'
import { Readiness } from '../../../src/server/meta/readiness.ts'
import { openTestDatabase } from '../../support/database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer } from '../../support/server.ts'

test('GET /api/health?ready=1 is 200 while the server works; the plain one stays as clients know it', async () => {
  await using server = await openTestServer({ settings: { httpsPort: '0' } })
  const healthy = { message: 'API is healthy.', code: 200, data: {} }
  for (const query of ['', '?ready=0', '?ready=1', '?ready=true']) {
    const { status, body } = await server.guest.get(`/api/health${query}`)
    expect([query, status, body]).toEqual([query, 200, healthy])
  }
  expect((await server.guest.get('/api/health?ready=yes')).status).toBe(400)
})

test('Readiness names each part that does not work', async () => {
  await using test = await openTestDatabase()
  const ailing = new Map<string, string>()
  const vitals = ['ports', 'dispatch'].map((name) => ({ name, ailment: () => ailing.get(name) }))
  const readiness = new Readiness({ db: test.db, clock: new FakeClock(), vitals })
  await readiness.check()
  ailing.set('dispatch', 'fails: no such table')
  ailing.set('ports', 'the HTTPS port is not open')
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

test('Readiness asks the disk at most once a second, and believes what writers were told', async () => {
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
  const readiness = new Readiness({ db, clock, vitals: [] })
  for (let at = 0; at < 10; at++) await readiness.check()
  expect(writes).toBe(1)
  failure = new AppError('storage_full', 'The disk with the database is full')
  await clock.advance(1_000)
  await expect(readiness.check()).rejects.toThrow('Not ready: database: The disk with the database is full')
  failure = undefined
  await clock.advance(1_000)
  await readiness.check()
  expect(writes).toBe(3)
})
