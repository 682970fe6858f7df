import { afterAll, beforeAll, expect, test } from 'bun:test'
import type PocketBase from 'pocketbase'
import type { RecordSubscription } from 'pocketbase'
import { openSdk, openSdkAs, openSdkAsSuperuser } from '../support/server/sdk.ts'
import { eventually, openTestServer, type TestAccount, type TestServer } from '../support/server/server.ts'

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

type Heard = RecordSubscription[]

/** What a callback heard, and a wait until it heard as much as named. */
function listener() {
  const heard: Heard = []
  return {
    heard,
    hear: (event: RecordSubscription) => void heard.push(event),
    until: (count: number) => eventually(`${count} events`, () => heard.length >= count),
  }
}

const titles = (heard: Heard) => heard.map(({ action, record }) => [action, record['title']])
const notices = () => admin.collection('notifications')

test('subscribe(*) hears of creation, change and removal until it ends', async () => {
  const { heard, hear, until } = listener()
  const end = await pb.collection('notifications').subscribe('*', hear)
  expect(pb.realtime.isConnected).toBe(true)
  const { id } = await notices().create({ title: 'one' })
  await notices().update(id, { title: 'two' })
  await notices().delete(id)
  await until(3)
  expect(titles(heard)).toEqual([
    ['create', 'one'],
    ['update', 'two'],
    ['delete', 'two'],
  ])
  expect(heard[0]?.record).toMatchObject({ id, collectionName: 'notifications' })
  await end()
  expect(pb.realtime.isConnected).toBe(false)
  await notices().create({ title: 'unheard' })
  expect(heard).toHaveLength(3)
})

test('subscribe(id) hears of one record only', async () => {
  const [one, other] = [await notices().create({ title: 'one' }), await notices().create({ title: 'other' })]
  const { heard, hear, until } = listener()
  await pb.collection('notifications').subscribe(one.id, hear)
  await notices().update(other.id, { title: 'other again' })
  await notices().update(one.id, { title: 'one again' })
  await until(1)
  expect(titles(heard)).toEqual([['update', 'one again']])
  await pb.collection('notifications').unsubscribe(one.id)
})

test('options of a subscription filter, expand and pick', async () => {
  const [all, some] = [listener(), listener()]
  const collection = pb.collection('notifications')
  await collection.subscribe('*', all.hear)
  const options = {
    filter: 'title ~ "urgent"',
    expand: 'target_users',
    fields: 'title,expand.target_users.id',
  }
  await collection.subscribe('*', some.hear, options)
  await notices().create({ title: 'quiet' })
  await notices().create({ title: 'urgent', target_users: [user.id] })
  await all.until(2)
  await some.until(1)
  expect(titles(all.heard)).toEqual([
    ['create', 'quiet'],
    ['create', 'urgent'],
  ])
  expect(some.heard).toEqual([
    { action: 'create', record: { title: 'urgent', expand: { target_users: [{ id: user.id }] } } },
  ] as never)
  await collection.unsubscribe()
})

test('the rules of a collection hold for each listener', async () => {
  const other = await server.createUser()
  const [guest, stranger] = [openSdk(server), await openSdkAs(server, other)]
  const [own, foreign, none] = [listener(), listener(), listener()]
  await pb.collection('time_slots').subscribe('*', own.hear)
  await stranger.collection('time_slots').subscribe('*', foreign.hear)
  await guest.collection('time_slots').subscribe('*', none.hear)
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  await pb.collection('time_slots').create({ start_time: at(1), end_time: at(2) })
  await stranger.collection('time_slots').create({ start_time: at(3), end_time: at(4) })
  await own.until(1)
  await foreign.until(1)
  expect(own.heard.map(({ record }) => record['booked_by'])).toEqual([user.id])
  expect(foreign.heard.map(({ record }) => record['booked_by'])).toEqual([other.id])
  expect(none.heard).toEqual([])
  await Promise.all([pb, stranger, guest].map((each) => each.realtime.unsubscribe()))
})

test('jobs and balances are told as they change', async () => {
  const [jobs, balance] = [listener(), listener()]
  await pb.collection('quantum_jobs').subscribe('*', jobs.hear)
  await pb.collection('users').subscribe(user.id, balance.hear)
  const circuit = 'OPENQASM 3.0; qubit q; bit c; c = measure q;'
  await server.createQpu()
  const { id } = await pb.send('/api/jobs', { method: 'POST', body: { circuits: [{ circuit }] } })
  await pb.send(`/api/jobs/${id}/cancel`, { method: 'POST' })
  await admin.collection('users').update(user.id, { qpu_seconds: 250 })
  await jobs.until(2)
  await balance.until(1)
  expect(jobs.heard.map(({ action, record }) => [action, record['status']])).toEqual([
    ['create', 'pending'],
    ['update', 'cancelled'],
  ])
  expect(balance.heard.at(-1)?.record).toMatchObject({ qpu_seconds: 250, email: user.email })
  await pb.realtime.unsubscribe()
})

test('a stream that breaks off comes back with its subscriptions', async () => {
  const { heard, hear, until } = listener()
  await pb.collection('notifications').subscribe('*', hear)
  const { clientId } = pb.realtime
  const lost: string[][] = []
  pb.realtime.onDisconnect = (topics) => void lost.push(topics)
  // What a proxy does that cuts a connection.
  Reflect.get(pb.realtime, 'connectErrorHandler').call(pb.realtime, new Error('cut'))
  await eventually('another stream', () => pb.realtime.isConnected && pb.realtime.clientId !== clientId)
  await notices().create({ title: 'after the cut' })
  await until(1)
  expect(titles(heard)).toEqual([['create', 'after the cut']])
  await pb.realtime.unsubscribe()
})
