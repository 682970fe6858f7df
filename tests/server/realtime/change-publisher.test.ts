import { expect, test } from 'bun:test'
import { quantumJobs, timeSlots, users } from '../../../src/db/index.ts'
import type { Caller } from '../../../src/server/http/caller.ts'
import { RateLimiter } from '../../../src/server/http/limits/rate-limit.ts'
import { Passwords } from '../../../src/server/index.ts'
import { createChangePublisher } from '../../../src/server/realtime/change-publisher.ts'
import { parseTopic } from '../../../src/server/realtime/topic.ts'
import { createRecordService, type RecordService } from '../../../src/server/records/service.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'
import { withOptions } from '../../support/server/subscriptions.ts'

/** The record service of a server, with the number of rule tests and expansions that reach the database. */
function counted(server: TestServer) {
  const count = { tests: 0, evaluations: 0, expansions: 0 }
  const real = createRecordService(server.context, {
    passwords: new Passwords(),
    submissions: new RateLimiter(server.context.config.submitRate, server.context.clock),
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

const GUEST: Caller = { kind: 'guest' }

test('1,000 subscribers of a public topic need one rule test and one encoding', async () => {
  await using server = await openTestServer()
  const { service, count } = counted(server)
  const publisher = createChangePublisher(service)
  const texts = ['quantum_jobs/*', 'quantum_jobs', withOptions('quantum_jobs/*', { page: 1 })]
  const topicOf = (at: number) => parseTopic(texts[at % texts.length] ?? '', server.db.names)
  const record = await server.db.write('t', (tx) => tx.insert(quantumJobs, {}))
  const prepared = publisher.prepare({
    collection: 'quantum_jobs',
    id: record.id,
    action: 'create',
    seq: 1,
    record: { ...record },
  })
  const rendered = await server.db.read((tx) =>
    Array.from({ length: 1_000 }, (_, at) => prepared.renderFor(tx, topicOf(at), GUEST)),
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
      callers: owners.map((user): Caller => ({ kind: 'user', user, via: 'login', refreshable: true })),
    }
  })
  const topic = parseTopic('time_slots/*', server.db.names)
  const prepared = publisher.prepare({
    collection: 'time_slots',
    id: record.id,
    action: 'create',
    seq: 1,
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
    seq: 1,
    record: { ...record },
  })
  const topics = ['quantum_jobs/*', withOptions('quantum_jobs/*', { filter: 'payload.kind = "deep"' })]
  const rendered = await server.db.read((tx) =>
    topics.map((each) => prepared.renderFor(tx, parseTopic(each, server.db.names), GUEST)),
  )
  expect(rendered.every((data) => data !== undefined)).toBe(true)
  expect(seen).toEqual([[], ['payload']])
})
