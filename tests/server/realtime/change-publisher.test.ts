import { expect, test } from 'bun:test'
import type { ReadTx } from '../../../src/db/index.ts'
import { superusers, users } from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { RATES } from '../../../src/server/admission/limits.ts'
import { RateLimiter } from '../../../src/server/admission/rate-limiter.ts'
import type { Caller } from '../../../src/server/http/caller.ts'
import { Passwords } from '../../../src/server/index.ts'
import { createChangePublisher } from '../../../src/server/realtime/change-publisher.ts'
import { parseTopic, type Topic } from '../../../src/server/realtime/topic.ts'
import { createRecordService, type RecordService } from '../../../src/server/records/service.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'
import { withOptions } from '../../support/server/subscriptions.ts'

/** The record service of a server, with the number of rule tests and expansions that reach the database. */
function counted(server: TestServer) {
  const count = { tests: 0, evaluations: 0, expansions: 0 }
  const real = createRecordService(server.context, {
    passwords: new Passwords(),
    submissions: new RateLimiter(
      RATES.submissions.from(() => server.context.config.submitRate),
      server.context.clock,
    ),
    removals: { remove: async () => false },
    logins: { verifyPassword: async () => false },
    links: { request: () => undefined },
  })
  const service: RecordService = {
    ...real,
    queries: {
      ...real.queries,
      expand: (...args) => {
        count.expansions += 1
        return real.queries.expand(...args)
      },
      test: (...args) => {
        count.tests += 1
        const test = real.queries.test(...args)
        return {
          ...test,
          values: (...about) => {
            count.evaluations += 1
            return test.values(...about)
          },
        }
      },
    },
  }
  return { service, count }
}

function topicOf(server: TestServer, text: string): Topic {
  const topic = parseTopic(text, server.db.names)
  if (!topic) throw new TypeError(`no topic: ${text}`)
  return topic
}

const GUEST: Caller = { kind: 'guest' }

test('1,000 subscribers of a public topic need one rule test and one encoding', async () => {
  await using server = await openTestServer()
  const { service, count } = counted(server)
  const publisher = createChangePublisher(service)
  const texts = ['quantum_jobs/*', 'quantum_jobs', withOptions('quantum_jobs/*', { page: 1 })]
  const topicAt = (at: number) => topicOf(server, texts[at % texts.length] ?? '')
  const record = await server.db.write('t', (tx) => tx.insert(quantumJobs, {}))
  const prepared = publisher.prepare({
    collection: 'quantum_jobs',
    id: record.id,
    action: 'create',
    record: { ...record },
  })
  const rendered = await server.db.read((tx) =>
    Array.from({ length: 1_000 }, (_, at) => prepared.renderFor(tx, topicAt(at), GUEST)),
  )
  expect(new Set(rendered).size).toBe(1)
  expect(rendered[0]).toBeInstanceOf(Uint8Array)
  expect(count).toEqual({ tests: 1, evaluations: 1, expansions: 0 })
})

test('a rule about the user is tested once per user, regardless of the number of streams', async () => {
  await using server = await openTestServer()
  const { service, count } = counted(server)
  const publisher = createChangePublisher(service)
  const { callers, record } = await server.db.write('t', (tx) => {
    const owners = Array.from({ length: 10 }, (_, at) => tx.insert(users, { email: `u${at}@b.cd` }))
    const slot = tx.insert(timeSlots, {
      start_time: '2100-01-01',
      end_time: '2100-01-02',
      booked_by: owners[0]?.id ?? '',
    })
    return {
      record: slot,
      callers: owners.map(
        (user): Caller => ({
          kind: 'user',
          user,
          via: 'login',
          login: { refreshable: true, expiresAt: Number.POSITIVE_INFINITY },
        }),
      ),
    }
  })
  const topic = topicOf(server, 'time_slots/*')
  const prepared = publisher.prepare({
    collection: 'time_slots',
    id: record.id,
    action: 'create',
    record: { ...record },
  })
  const rendered = await server.db.read((tx) =>
    Array.from({ length: 100 }, (_, at) => prepared.renderFor(tx, topic, callers[at % 10] ?? GUEST)),
  )
  expect(rendered.map((data, at) => (data ? at % 10 : -1)).filter((at) => at >= 0)).toEqual(Array(10).fill(0))
  expect(count).toEqual({ tests: 1, evaluations: 10, expansions: 0 })
})

test('large values are passed to SQLite only if the rule or the filter refers to them', async () => {
  await using server = await openTestServer()
  const { service } = counted(server)
  const seen: object[] = []
  const spied: RecordService = {
    ...service,
    queries: {
      ...service.queries,
      test: (...args) => {
        const test = service.queries.test(...args)
        return {
          ...test,
          values: (tx, values, requestInfo) => {
            seen.push(Object.keys(values).filter((name) => name === 'payload' || name === 'results'))
            return test.values(tx, values, requestInfo)
          },
        }
      },
    },
  }
  const publisher = createChangePublisher(spied)
  const record = await server.db.write('t', (tx) =>
    tx.insert(quantumJobs, { payload: { kind: 'deep' }, results: { a: 1 } }),
  )
  const prepared = publisher.prepare({
    collection: 'quantum_jobs',
    id: record.id,
    action: 'create',
    record: { ...record },
  })
  const topics = ['quantum_jobs/*', withOptions('quantum_jobs/*', { filter: 'payload.kind = "deep"' })]
  const [superuser] = await server.db.read((tx) => tx.list(superusers))
  if (!superuser) throw new Error('there is no superuser')
  const admin: Caller = {
    kind: 'superuser',
    superuser,
    login: { refreshable: true, expiresAt: Number.POSITIVE_INFINITY },
  }
  const rendered = await server.db.read((tx) =>
    topics.map((each) => prepared.renderFor(tx, topicOf(server, each), admin)),
  )
  expect(rendered.every((data) => data !== undefined)).toBe(true)
  expect(seen).toEqual([[], ['payload']])
})

test('a filter that refers to the options of the request is decided for each set of options', async () => {
  await using server = await openTestServer()
  const publisher = createChangePublisher(counted(server).service)
  const record = await server.db.write('t', (tx) => tx.insert(quantumJobs, { name: 'bell' }))
  const [superuser] = await server.db.read((tx) => tx.list(superusers))
  if (!superuser) throw new Error('there is no superuser')
  const admin: Caller = {
    kind: 'superuser',
    superuser,
    login: { refreshable: true, expiresAt: Number.POSITIVE_INFINITY },
  }
  const prepared = publisher.prepare({
    ...{ collection: 'quantum_jobs', id: record.id, action: 'create' },
    record: { ...record },
  })
  const seenWith = (tx: ReadTx, query: object, headers: object, filter: string) =>
    prepared.renderFor(
      tx,
      topicOf(server, withOptions('quantum_jobs/*', { ...query, filter }, headers)),
      admin,
    ) !== undefined
  const seen = await server.db.read((tx) => [
    ...['bell', 'ghz'].map((q) => seenWith(tx, { q }, {}, 'name = @request.query.q')),
    ...['bell', 'ghz'].map((x_q) => seenWith(tx, {}, { x_q }, 'name = @request.headers.x_q')),
  ])
  expect(seen).toEqual([true, false, true, false])
})

test('100 filters are evaluated once each for 1,000 subscribers, and share one encoding', async () => {
  await using server = await openTestServer()
  const { service, count } = counted(server)
  const publisher = createChangePublisher(service)
  const record = await server.db.write('t', (tx) => tx.insert(quantumJobs, {}))
  const prepared = publisher.prepare({
    ...{ collection: 'quantum_jobs', id: record.id, action: 'create' },
    record: { ...record },
  })
  const filters = Array.from({ length: 100 }, (_, at) =>
    topicOf(server, withOptions('quantum_jobs/*', { filter: `duration < ${at + 0.5}` })),
  )
  const rendered = await server.db.read((tx) =>
    Array.from({ length: 10 }, () => filters.map((topic) => prepared.renderFor(tx, topic, GUEST))).flat(),
  )
  expect(new Set(rendered).size).toBe(1)
  expect(count).toEqual({ tests: 100, evaluations: 100, expansions: 0 })
})

test('a path in a filter, a macro and an expansion depend on the caller; a decimal number does not', async () => {
  await using server = await openTestServer()
  const publisher = createChangePublisher(counted(server).service)
  const isPersonal = (query: object) =>
    publisher.isPersonal(topicOf(server, withOptions('quantum_jobs/*', query)))
  expect(isPersonal({ filter: 'duration > 0.5', fields: 'id' })).toBe(false)
  expect(isPersonal({ filter: 'qpu_target.name = "a"' })).toBe(true)
  expect(isPersonal({ filter: 'created > @todayStart' })).toBe(true)
  expect(isPersonal({ expand: 'qpu_target' })).toBe(true)
  expect(publisher.isPersonal(topicOf(server, 'quantum_jobs/*'))).toBe(false)
  expect(publisher.isPersonal(topicOf(server, 'time_slots/*'))).toBe(true)
})

test('values above 64 KiB are omitted unless fields asks for them, above 1 MiB always; filters do not see them', async () => {
  await using server = await openTestServer()
  const publisher = createChangePublisher(counted(server).service)
  const kib = (count: number) => 'x'.repeat(count * 1024)
  const { id } = await server.db.write('t', (tx) =>
    tx.insert(quantumJobs, { payload: { text: kib(100) }, results: { text: kib(2_048) } }),
  )
  const change = await server.db.read((tx) => tx.find(quantumJobs, id))
  const prepared = publisher.prepare({
    ...{ collection: 'quantum_jobs', id, action: 'update' },
    record: change as never,
  })
  const render = (query: object) =>
    server.db.read((tx) => {
      const data = prepared.renderFor(tx, topicOf(server, withOptions('quantum_jobs/*', query)), GUEST)
      return data && JSON.parse(new TextDecoder().decode(data).slice('data:'.length))
    })
  expect(await render({})).toMatchObject({ record: { id }, omitted: ['payload', 'results'] })
  expect(await render({ fields: 'id,payload' })).toEqual({
    action: 'update',
    record: { id, payload: { text: kib(100) } },
  })
  expect(await render({ fields: 'id,results.text' })).toEqual({
    ...{ action: 'update', record: { id }, omitted: ['results'] },
  })
  expect(await render({ filter: 'payload.text ~ "x"' })).toBeUndefined()
})
