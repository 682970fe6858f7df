import { describe, expect, test } from 'bun:test'
import { type AnyCollection, COLLECTIONS, type Tx } from '../../../src/db/index.ts'
import {
  apiTokens,
  notifications,
  qpuTimeRequests,
  superusers,
  users,
} from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { events, thresholds } from '../../../src/db/store/readings/index.ts'
import type { EventSourceClient } from '../../support/server/event-source.ts'
import { openWorld } from '../../support/server/sample-records.ts'
import { openTestServer, type TestClient, type TestServer } from '../../support/server/server.ts'
import { listenAs, withOptions } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'

interface PublishedEvent {
  action: string
  record: Record<string, unknown>
}
const eventsOf = (stream: EventSourceClient, topic: string) => stream.of(topic) as PublishedEvent[]

/** Streams of four kinds of callers with the same topics; `received` waits for a final, public change. */
async function openStreams(server: TestServer, topics: string[]) {
  const [owner, other] = [await server.createUser(), await server.createUser()]
  const clients = {
    guest: server.guest,
    owner: server.as(owner),
    other: server.as(other),
    root: server.admin,
  }
  const streams = new Map<string, EventSourceClient>()
  for (const [name, client] of Object.entries(clients)) {
    streams.set(name, await listenAs(client, ...topics, 'qpus'))
  }
  let markers = 0
  return {
    owner,
    other,
    async received(): Promise<Record<string, Record<string, PublishedEvent[]>>> {
      markers += 1
      await server.createQpu(`mark_${markers}`)
      for (const stream of streams.values()) {
        await until('the mark', () =>
          eventsOf(stream, 'qpus').some(({ record }) => record['name'] === `mark_${markers}`),
        )
      }
      return Object.fromEntries(
        [...streams].map(([name, stream]) => [
          name,
          Object.fromEntries(topics.map((topic) => [topic, eventsOf(stream, topic)])),
        ]),
      )
    },
    async [Symbol.asyncDispose]() {
      for (const stream of streams.values()) await stream[Symbol.asyncDispose]()
    },
  }
}

test('an event of each collection is what its viewer reads, for two users and a guest', async () => {
  const world = await openWorld()
  await using server = world.server
  const { owner, ids } = world
  const other = await server.createUser()
  const both = [owner.id, other.id]
  await server.db.write('t', (tx) => {
    tx.update(notifications, ids['notifications'] ?? '', { target_users: both, dismissed_by: [] })
    tx.update(thresholds, ids['thresholds'] ?? '', { notify: both })
  })
  const shown = COLLECTIONS.filter(({ name }) => ids[name] !== undefined)
  const topics = shown.map((each) => `${server.db.names.publicName(each)}/*`)
  const clients = [server.as(owner), server.as(other), server.guest]
  const streams = await Promise.all(clients.map((client) => listenAs(client, ...topics)))
  await server.db.write('t', (tx) => {
    for (const each of shown) tx.changed(each as AnyCollection, ids[each.name] ?? '', 'update')
  })
  await server.createQpu('mark')
  for (const [at, stream] of streams.entries()) {
    await until('the mark', () => eventsOf(stream, 'qpus/*').some(({ action }) => action === 'create'))
    for (const each of shown) {
      const name = server.db.names.publicName(each)
      const event = eventsOf(stream, `${name}/*`).find(({ record }) => record['id'] === ids[each.name])
      const read = await clients[at]?.get(`/api/collections/${name}/records/${ids[each.name]}`)
      const seen: unknown = read?.status === 200 ? read.body : undefined
      expect<unknown>({ at, name, seen: event?.record }).toEqual({ at, name, seen })
    }
    await stream[Symbol.asyncDispose]()
  }
})

describe('a change is published to callers to whom the list rule shows the record', () => {
  const IN = ['owner', 'other', 'root']
  const cases: [AnyCollection, (tx: Tx, owner: string, other: string) => { id: string }, string[]][] = [
    [users, (tx) => tx.insert(users, { email: 'a@b.cd' }), ['root']],
    [superusers, (tx) => tx.insert(superusers, { email: 'x@b.cd' }), ['root']],
    [
      drivers,
      (tx) => tx.insert(drivers, { name: 'd', qpu: anyQpu(tx), operation: 'monitor', token: 'x' }),
      IN,
    ],
    [events, (tx) => tx.insert(events, { source: 'd', type: 'x', ts: 't' }), IN],
    [quantumJobs, (tx, user_id) => tx.insert(quantumJobs, { user_id }), ['guest', ...IN]],
    [apiTokens, (tx, user) => tx.insert(apiTokens, { user, token: 'h' }), ['root']],
    [qpuTimeRequests, (tx, user) => tx.insert(qpuTimeRequests, { user, seconds: 5 }), ['owner', 'root']],
    [timeSlots, (tx, booked_by) => tx.insert(timeSlots, { booked_by, ...NEXT_YEAR }), ['owner', 'root']],
    [notifications, (tx) => tx.insert(notifications, { title: 'all' }), IN],
    [
      notifications,
      (tx, user) => tx.insert(notifications, { title: 'one', target_users: [user] }),
      ['owner', 'root'],
    ],
    [
      notifications,
      (tx, user) => tx.insert(notifications, { title: 'one', dismissed_by: [user] }),
      ['other', 'root'],
    ],
    [
      notifications,
      (tx) => tx.insert(notifications, { title: 'later', start_time: NEXT_YEAR.start_time }),
      ['root'],
    ],
  ]
  const year = new Date().getUTCFullYear() + 1
  const NEXT_YEAR = { start_time: `${year}-06-02 01:00:00.000Z`, end_time: `${year}-06-02 02:00:00.000Z` }
  const anyQpu = (tx: Tx) => tx.insert(qpus, { name: 'first' }).id

  test('for each collection, and its deletion to the same callers', async () => {
    await using server = await openTestServer()
    const topicOf = (collection: AnyCollection) => `${server.db.names.publicName(collection)}/*`
    const topics = new Set(cases.map(([collection]) => topicOf(collection)))
    await using four = await openStreams(server, [...topics])
    const created: string[] = []
    for (const [collection, insert] of cases) {
      const { id } = await server.db.write('t', (tx) => insert(tx, four.owner.id, four.other.id))
      await server.db.write('t', (tx) => tx.remove(collection, id))
      created.push(id)
    }
    const received = await four.received()
    for (const [at, [collection, , listeners]] of cases.entries()) {
      const topic = topicOf(collection)
      const who = (expectedAction: string) =>
        Object.keys(received).filter((name) =>
          received[name]?.[topic]?.some(
            ({ action, record }) => action === expectedAction && record['id'] === created[at],
          ),
        )
      expect([at, topic, who('create'), who('delete')]).toEqual([at, topic, listeners, listeners])
    }
  })
})

test('each subscriber receives the record as the record route returns it to them', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ qpuSeconds: 10 })
  const topic = `users/${user.id}`
  const stranger = await server.createUser()
  const clients: TestClient[] = [server.as(user), server.admin, server.as(stranger), server.guest]
  const streams = await Promise.all(clients.map((client) => listenAs(client, topic, 'qpus')))
  await server.admin.patch(`/api/admin/users/${user.id}`, { qpu_seconds: 25.5 })
  await server.createQpu()
  for (const stream of streams) await until('the mark', () => stream.of('qpus').length === 1)
  const path = `/api/collections/users/records/${user.id}`
  const shown = await Promise.all(
    clients.slice(0, 2).map(async (client) => (await client.get(path)).body as PublishedEvent['record']),
  )
  expect(shown[0]).toMatchObject({ qpu_seconds: 25.5, email: user.email })
  expect(streams.map((stream) => eventsOf(stream, topic).map(({ record }) => record))).toEqual([
    [shown[0] ?? {}],
    [shown[1] ?? {}],
    [],
    [],
  ])
  const everything = JSON.stringify(streams.map(({ events: all }) => all))
  expect(everything).not.toMatch(/tokenKey|"password"/)
  // Superusers see hidden fields, here the hash of a token.
  expect(streams.map((stream) => JSON.stringify(stream.events).includes('access_token'))).toEqual([
    false,
    true,
    false,
    false,
  ])
  for (const stream of streams) await stream[Symbol.asyncDispose]()
})

describe('options of a topic', () => {
  test('filter, expand and fields determine the events, which carry the exact topic', async () => {
    await using server = await openTestServer()
    const user = await server.createUser()
    const north = await server.createQpu('north')
    const south = await server.createQpu('south')
    const topics = {
      failed: withOptions('quantum_jobs/*', { filter: 'status = "failed"', fields: 'id,status' }),
      north: withOptions('quantum_jobs/*', { filter: 'qpu_target.name = "north"', fields: 'id' }),
      deep: withOptions('quantum_jobs', { filter: 'payload.kind = "deep"', fields: 'payload' }),
      both: withOptions('quantum_jobs/*', { expand: 'qpu_target,user_id', fields: 'id,expand.*.name' }),
    }
    const { deep, ...open } = topics
    await using stream = await listenAs(server.guest, ...Object.values(open))
    // Only the owner of a job and superusers search its program.
    await using own = await listenAs(server.as(user), deep)
    await using other = await listenAs(server.as(await server.createUser()), deep)
    const [first, second] = await server.db.write('t', (tx) => [
      tx.insert(quantumJobs, { user_id: user.id, qpu_target: north.id, payload: { kind: 'deep' } }),
      tx.insert(quantumJobs, { user_id: user.id, qpu_target: south.id }),
    ])
    await server.db.write('t', (tx) =>
      tx.update(quantumJobs, second?.id ?? '', { status: 'failed', finished_at: tx.at }),
    )
    await until('all', () => stream.of(topics.failed).length === 1 && stream.of(topics.both).length === 3)
    expect(stream.of(topics.failed)).toEqual([
      { action: 'update', record: { id: second?.id, status: 'failed' } },
    ])
    expect(stream.of(topics.north)).toEqual([{ action: 'create', record: { id: first?.id } }])
    await until('the owner', () => own.of(deep).length === 1)
    expect(own.of(deep)).toEqual([{ action: 'create', record: { payload: { kind: 'deep' } } }])
    expect(other.of(deep)).toEqual([])
    // The guest may not view the user, whose record is therefore omitted.
    expect(eventsOf(stream, topics.both)[0]).toEqual({
      action: 'create',
      record: { id: first?.id, expand: { qpu_target: { name: 'north' } } },
    })
  })

  test('expanded relations follow the rules for each subscriber', async () => {
    await using server = await openTestServer()
    const [owner, other] = [await server.createUser(), await server.createUser()]
    const topic = withOptions('quantum_jobs/*', { expand: 'user_id', fields: 'expand' })
    const streams = await Promise.all(
      [server.as(owner), server.as(other), server.admin].map((client) => listenAs(client, topic)),
    )
    await server.db.write('t', (tx) => tx.insert(quantumJobs, { user_id: owner.id }))
    for (const stream of streams) await until('the job', () => stream.of(topic).length === 1)
    const ids = streams.map((stream) => JSON.stringify(eventsOf(stream, topic)[0]?.record).includes(owner.id))
    expect(ids).toEqual([true, false, true])
    for (const stream of streams) await stream[Symbol.asyncDispose]()
  })

  test('the same filter is evaluated for each subscriber with the records visible to them', async () => {
    await using server = await openTestServer()
    const [owner, other] = [await server.createUser(), await server.createUser()]
    const topic = withOptions('quantum_jobs/*', { filter: `user_id.username = ""` })
    const streams = await Promise.all(
      [server.as(owner), server.as(other), server.admin].map((client) => listenAs(client, topic, 'qpus')),
    )
    await server.db.write('t', (tx) => tx.insert(quantumJobs, { user_id: owner.id }))
    await server.createQpu()
    for (const stream of streams) await until('the mark', () => stream.of('qpus').length === 1)
    expect(streams.map((stream) => stream.of(topic).length)).toEqual([1, 0, 1])
    for (const stream of streams) await stream[Symbol.asyncDispose]()
  })
})

test('a disabled user receives no change that is committed afterwards', async () => {
  await using server = await openTestServer()
  await using four = await openStreams(server, ['notifications/*'])
  const { owner } = four
  const writes = [
    server.db.write('t', (tx) => tx.insert(notifications, { title: 'before', target_users: [owner.id] })),
    server.db.write('t', (tx) => tx.update(users, owner.id, { disabled: true })),
    server.db.write('t', (tx) => tx.insert(notifications, { title: 'after', target_users: [owner.id] })),
  ]
  await Promise.all(writes)
  const received = (await four.received())['owner']?.['notifications/*'] ?? []
  expect(received.map(({ record }) => record['title'])).toEqual(['before'])
})

test('an account receives its own deletion and nothing after it', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  await using stream = await listenAs(server.as(user), `users/${user.id}`, 'notifications/*', 'qpus')
  await server.db.write('t', (tx) => tx.remove(users, user.id))
  await server.db.write('t', (tx) => tx.insert(notifications, { title: 'all' }))
  await server.createQpu()
  await until('the mark', () => stream.of('qpus').length === 1)
  expect(eventsOf(stream, `users/${user.id}`)).toMatchObject([{ action: 'delete', record: { id: user.id } }])
  expect(stream.of('notifications/*')).toEqual([])
})

test('reportLogin() sends the outcome of a login once, to the stream that waits for it', async () => {
  await using server = await openTestServer()
  const { realtime } = server.server
  await using stream = await listenAs(server.guest, '@oauth2')
  const id = await stream.clientId()
  const outcome = { state: id, code: 'c' }
  expect(realtime.askerOf('unknown', '127.0.0.1')).toBeUndefined()
  expect(realtime.askerOf(id, '10.0.0.1')).toBeUndefined()
  expect(realtime.askerOf(id, '127.0.0.1')).toMatchObject({ origin: undefined, account: undefined })
  expect(realtime.reportLogin('unknown', '127.0.0.1', outcome)).toBe(false)
  expect(realtime.reportLogin(id, '10.0.0.1', outcome)).toBe(false)
  expect(realtime.reportLogin(id, '127.0.0.1', outcome)).toBe(true)
  expect(realtime.reportLogin(id, '127.0.0.1', outcome)).toBe(false)
  await until('the outcome', () => stream.of('@oauth2').length === 1)
  expect(stream.of('@oauth2')).toEqual([outcome])
})
