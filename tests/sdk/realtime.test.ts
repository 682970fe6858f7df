import { afterAll, beforeAll, expect, test } from 'bun:test'
import type PocketBase from 'pocketbase'
import type { RecordSubscription } from 'pocketbase'
import { openSdk, openSdkAs, openSdkAsSuperuser } from '../support/server/sdk.ts'
import { openTestServer, type TestAccount, type TestServer } from '../support/server/server.ts'
import { until } from '../support/until.ts'

let server: TestServer
let admin: PocketBase
let user: TestAccount
let pb: PocketBase

beforeAll(async () => {
  server = await openTestServer()
  admin = await openSdkAsSuperuser(server)
  user = await server.createUser({ qpuSeconds: 100 })
  pb = await openSdkAs(server, user)
})

afterAll(async () => {
  await pb.realtime.unsubscribe()
  await server[Symbol.asyncDispose]()
})

type ReceivedEvents = RecordSubscription[]

/** Collects the events that a callback receives, with a wait for a number of them. */
function listener() {
  const events: ReceivedEvents = []
  return {
    events,
    receive: (event: RecordSubscription) => void events.push(event),
    untilCount: (count: number) => until(`${count} events`, () => events.length >= count),
  }
}

const titles = (events: ReceivedEvents) => events.map(({ action, record }) => [action, record['title']])
const notices = () => admin.collection('notifications')

test('subscribe(*) receives creation, change and removal until it ends', async () => {
  const { events, receive, untilCount } = listener()
  const end = await pb.collection('notifications').subscribe('*', receive)
  expect(pb.realtime.isConnected).toBe(true)
  const { id } = await notices().create({ title: 'one' })
  await notices().update(id, { title: 'two' })
  await notices().delete(id)
  await untilCount(3)
  expect(titles(events)).toEqual([
    ['create', 'one'],
    ['update', 'two'],
    ['delete', 'two'],
  ])
  expect(events[0]?.record).toMatchObject({ id, collectionName: 'notifications' })
  await end()
  expect(pb.realtime.isConnected).toBe(false)
  await notices().create({ title: 'after the end' })
  expect(events).toHaveLength(3)
})

test('subscribe(id) receives changes of one record only', async () => {
  const [one, other] = [await notices().create({ title: 'one' }), await notices().create({ title: 'other' })]
  const { events, receive, untilCount } = listener()
  await pb.collection('notifications').subscribe(one.id, receive)
  await notices().update(other.id, { title: 'other again' })
  await notices().update(one.id, { title: 'one again' })
  await untilCount(1)
  expect(titles(events)).toEqual([['update', 'one again']])
  await pb.collection('notifications').unsubscribe(one.id)
})

test('options of a subscription filter, expand and select', async () => {
  const [all, some] = [listener(), listener()]
  const collection = pb.collection('notifications')
  await collection.subscribe('*', all.receive)
  const options = {
    filter: 'title ~ "urgent"',
    expand: 'target_users',
    fields: 'title,expand.target_users.id',
  }
  await collection.subscribe('*', some.receive, options)
  await notices().create({ title: 'quiet' })
  await notices().create({ title: 'urgent', target_users: [user.id] })
  await all.untilCount(2)
  await some.untilCount(1)
  expect(titles(all.events)).toEqual([
    ['create', 'quiet'],
    ['create', 'urgent'],
  ])
  expect(some.events).toEqual([
    { action: 'create', record: { title: 'urgent', expand: { target_users: [{ id: user.id }] } } },
  ] as never)
  await collection.unsubscribe()
})

test('the rules of a collection apply to each listener', async () => {
  const other = await server.createUser()
  const [guest, stranger] = [openSdk(server), await openSdkAs(server, other)]
  const [own, foreign, none] = [listener(), listener(), listener()]
  await pb.collection('time_slots').subscribe('*', own.receive)
  await stranger.collection('time_slots').subscribe('*', foreign.receive)
  await guest.collection('time_slots').subscribe('*', none.receive)
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  await pb.collection('time_slots').create({ start_time: at(1), end_time: at(2) })
  await stranger.collection('time_slots').create({ start_time: at(3), end_time: at(4) })
  await own.untilCount(1)
  await foreign.untilCount(1)
  expect(own.events.map(({ record }) => record['booked_by'])).toEqual([user.id])
  expect(foreign.events.map(({ record }) => record['booked_by'])).toEqual([other.id])
  expect(none.events).toEqual([])
  await Promise.all([pb, stranger, guest].map((each) => each.realtime.unsubscribe()))
})

test('changes of jobs and balances are sent', async () => {
  const [jobs, balance] = [listener(), listener()]
  await pb.collection('quantum_jobs').subscribe('*', jobs.receive)
  await pb.collection('users').subscribe(user.id, balance.receive)
  const circuit = 'OPENQASM 3.0; qubit q; bit c; c = measure q;'
  await server.createQpu()
  const { id } = await pb.send('/api/jobs', { method: 'POST', body: { circuits: [{ circuit }] } })
  await pb.send(`/api/jobs/${id}/cancel`, { method: 'POST' })
  await admin.collection('users').update(user.id, { qpu_seconds: 250 })
  await jobs.untilCount(2)
  await balance.untilCount(1)
  expect(jobs.events.map(({ action, record }) => [action, record['status']])).toEqual([
    ['create', 'pending'],
    ['update', 'cancelled'],
  ])
  expect(balance.events.at(-1)?.record).toMatchObject({ qpu_seconds: 250, email: user.email })
  await pb.realtime.unsubscribe()
})

test('a stream that breaks off is restored with its subscriptions', async () => {
  const { events, receive, untilCount } = listener()
  await pb.collection('notifications').subscribe('*', receive)
  const { clientId } = pb.realtime
  const lost: string[][] = []
  pb.realtime.onDisconnect = (topics) => void lost.push(topics)
  // As a proxy that cuts a connection does.
  Reflect.get(pb.realtime, 'connectErrorHandler').call(pb.realtime, new Error('cut'))
  await until('another stream', () => pb.realtime.isConnected && pb.realtime.clientId !== clientId)
  await notices().create({ title: 'after the cut' })
  await untilCount(1)
  expect(titles(events)).toEqual([['create', 'after the cut']])
  await pb.realtime.unsubscribe()
})

test('a topic that is no collection receives nothing and does not disturb the others', async () => {
  const { events, receive, untilCount } = listener()
  const connects: unknown[] = []
  await pb.realtime.subscribe('PB_CONNECT', (event) => void connects.push(event))
  await pb.realtime.subscribe('no_such_collection/*', receive)
  await pb.realtime.subscribe('custom topic', receive, { query: { filter: 'a = 1' } })
  await pb.collection('notifications').subscribe('*', receive)
  await notices().create({ title: 'still sent' })
  await untilCount(1)
  expect(titles(events)).toEqual([['create', 'still sent']])
  expect(connects).toMatchObject([{ clientId: pb.realtime.clientId }])
  await pb.realtime.unsubscribe()
})
