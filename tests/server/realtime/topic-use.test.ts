import { expect, test } from 'bun:test'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { qpus } from '../../../src/db/store/qpus/index.ts'
import { COUNTS } from '../../../src/server/admission/limits.ts'
import { Streams } from '../../../src/server/realtime/streams.ts'
import { Subscriptions } from '../../../src/server/realtime/subscriptions.ts'
import type { Topic } from '../../../src/server/realtime/topic.ts'
import { TopicUse } from '../../../src/server/realtime/topic-use.ts'
import type { EventSourceClient } from '../../support/server/event-source.ts'
import { openTestServer, type TestClient, type TestServer } from '../../support/server/server.ts'
import { listenAs, openStream, subscribe, withOptions } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'
import { unreadStream } from './unread-stream.ts'

const topics = {
  stream: COUNTS.streamTopics.bounds.account,
  client: COUNTS.topics.bounds.account,
  total: COUNTS.topics.bounds.all,
}
const optioned = {
  stream: COUNTS.streamOptions.bounds.account,
  client: COUNTS.options.bounds.account,
  total: COUNTS.options.bounds.all,
}

/** `count` topics, each with a filter of its own. */
const filtered = (count: number, from = 0, name = 'duration') =>
  Array.from({ length: count }, (_, at) =>
    withOptions('quantum_jobs/*', { filter: `${name} != ${from + at}` }),
  )
const records = (count: number) =>
  Array.from({ length: count }, (_, at) => `quantum_jobs/${String(at).padStart(15, '0')}`)

async function statusesOf(client: TestClient, stream: EventSourceClient, lists: readonly string[][]) {
  const statuses: number[] = []
  for (const list of lists) statuses.push((await subscribe(client, stream, list)).status)
  return statuses
}

/** Fills the total of topics with options with accounts of their own. */
async function fill(server: TestServer) {
  const count = optioned.total / optioned.client
  for (let at = 0; at < count; at += 1) {
    const client = server.as(await server.createUser())
    for (const half of [0, 1]) {
      const first = at * optioned.client + half * optioned.stream
      await listenAs(client, ...filtered(optioned.stream, first))
    }
  }
}

test('guests have a number of streams per address; accounts are not counted there', async () => {
  await using server = await openTestServer({ settings: { guestStreams: '3' } })
  const user = server.as(await server.createUser())
  await using own = await openStream(server)
  await subscribe(user, own, ['qpus/*'])
  const guests = await Promise.all([openStream(server), openStream(server), openStream(server)])
  const refused = await fetch(`${server.url}/api/realtime`)
  // Before its body, which does not end if it is a stream.
  expect(refused.status).toBe(429)
  expect(await refused.json()).toHaveProperty(
    'message',
    'An address can have at most 3 event streams without login; close another page, or send a login or API token with the request that opens the stream.',
  )
  await guests[0]?.[Symbol.asyncDispose]()
  await until('a stream is free', async () => server.server.realtime.size === 3)
  await using again = await openStream(server)
  expect(await again.clientId()).toMatch(/^\w+$/)
})

test('a stream and a client have a number of topics with options; a refused list changes nothing', async () => {
  await using server = await openTestServer()
  await using one = await listenAs(server.guest, 'quantum_jobs/*')
  const { stream: most, client: all } = optioned
  expect(await statusesOf(server.guest, one, [filtered(most + 1)])).toEqual([429])
  await server.db.write('t', (tx) => tx.insert(quantumJobs, {}))
  await until('the job', () => one.of('quantum_jobs/*').length === 1)
  expect(await statusesOf(server.guest, one, [filtered(most)])).toEqual([204])
  await using two = await listenAs(server.guest, ...filtered(all - most, most))
  await using three = await openStream(server)
  // Topics that another stream of the address has already cost nothing more.
  const lists = [filtered(most), filtered(1, all), ['qpus/*']]
  expect(await statusesOf(server.guest, three, lists)).toEqual([204, 429, 204])
  const refused = await subscribe(server.guest, three, filtered(1, all))
  expect(refused.text('message')).toBe(
    `${all + 1} topics with options from one address without login, more than the limit of ${all}; subscribe to fewer topics, or to whole collections without options.`,
  )
  const user = server.as(await server.createUser())
  expect(await statusesOf(user, two, [filtered(most, all)])).toEqual([204])
})

test('a client has a number of topics', async () => {
  await using server = await openTestServer()
  const full = topics.client / topics.stream
  for (let at = 0; at < full; at += 1) await listenAs(server.guest, ...records(topics.stream))
  await using last = await openStream(server)
  expect(await statusesOf(server.guest, last, [['qpus/*'], []])).toEqual([429, 204])
})

test('all streams together have a number of topics; an account displaces guests', () => {
  const streams = new Streams(() => 50)
  const subscriptions = new Subscriptions()
  const use = new TopicUse({ streams, subscriptions, isPersonal: () => false })
  const topic: Topic = {
    ...{ text: 'qpus/*', collection: qpus, record: '*', query: {}, headers: {}, hasOptions: false },
  }
  const [many, few] = [unreadStream(streams), unreadStream(streams)]
  subscriptions.set(many, Array<Topic>(topics.total - 1).fill(topic))
  use.displaceGuests(few, few.caller, [topic])
  expect(() => use.displaceGuests(few, few.caller, [topic, topic])).toThrow(
    `All ${topics.total} topics are in use, or log in`,
  )
  expect(streams.all()).toEqual([many, few])
})

test('when all topics with options are in use, guests are refused and accounts displace guests', async () => {
  await using server = await openTestServer()
  await fill(server)
  await using guest = await openStream(server)
  const refused = await subscribe(server.guest, guest, filtered(1, 10_000))
  expect([refused.status, refused.text('message')]).toEqual([
    503,
    `All ${optioned.total} topics with options are in use; subscribe without filter, expand and fields, or log in.`,
  ])
  // Evaluated already, for everybody.
  expect(await statusesOf(server.guest, guest, [filtered(1)])).toEqual([204])
  // A filter that follows a relation is evaluated for each account.
  const related = [withOptions('quantum_jobs/*', { filter: 'qpu_target.name = "a"' })]
  expect(await statusesOf(server.guest, guest, [related])).toEqual([503])
  const user = server.as(await server.createUser())
  await using own = await openStream(server)
  expect(await statusesOf(user, own, [filtered(1, 10_000)])).toEqual([503])
})

test('an account displaces the guests with the most topics with options', async () => {
  await using server = await openTestServer()
  const users = optioned.total / optioned.client - 1
  for (let at = 0; at < users; at += 1) {
    const client = server.as(await server.createUser())
    await listenAs(client, ...filtered(optioned.stream, at * optioned.client))
    await listenAs(client, ...filtered(optioned.stream, at * optioned.client + optioned.stream))
  }
  await using guest = await listenAs(server.guest, ...filtered(optioned.stream, 20_000))
  await using other = await listenAs(server.guest, ...filtered(optioned.stream, 30_000))
  const user = server.as(await server.createUser())
  await using own = await openStream(server)
  expect(await statusesOf(user, own, [filtered(1, 10_000)])).toEqual([204])
  await until('the guest is gone', () => guest.isOver && other.isOver)
  expect(own.isOver).toBe(false)
})
