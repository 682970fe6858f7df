import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { FakeClock } from '../../../src/base/index.ts'
import { quantumJobs, users } from '../../../src/db/index.ts'
import { EventSourceClient } from '../../support/event-source.ts'
import {
  type Answer,
  eventually,
  openTestServer,
  type TestAccount,
  TestClient,
  type TestServer,
} from '../../support/server.ts'

const open = (server: TestServer, headers: Record<string, string> = {}) =>
  EventSourceClient.open(`${server.url}/api/realtime`, headers)

async function subscribe(
  client: TestClient,
  stream: EventSourceClient,
  subscriptions: string[],
): Promise<Answer> {
  return client.post('/api/realtime', { clientId: await stream.clientId(), subscriptions })
}

/** A stream of somebody that listens to `topics`. */
async function listenAs(server: TestServer, client: TestClient, ...topics: string[]) {
  const stream = await open(server)
  expect((await subscribe(client, stream, topics)).status).toBe(204)
  return stream
}

/** A stored job of this user; that it can run does not matter here. */
function addJob(server: TestServer, user: { id: string }, payload: unknown = { circuits: [] }) {
  return server.db.write('add job', (tx) => tx.insert(quantumJobs, { user_id: user.id, payload }))
}

test('GET /api/realtime opens with PB_CONNECT and the id of the client', async () => {
  await using server = await openTestServer()
  await using stream = await open(server)
  const id = await stream.clientId()
  expect(id).toMatch(/^[0-9a-f]{40}$/)
  expect(stream.events).toEqual([{ id, event: 'PB_CONNECT', data: { clientId: id } }])
  expect(Object.fromEntries(stream.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
})

test('changes arrive under the topic as it was sent, in the shape of the routes', async () => {
  await using server = await openTestServer()
  const qpu = await server.createQpu('north')
  const user = await server.createUser()
  const withOptions = `qpus/*?options=${encodeURIComponent('{"query":{},"headers":{}}')}`
  await using stream = await listenAs(
    server,
    server.guest,
    'qpus/*',
    `qpus/${qpu.id}`,
    'qpus',
    withOptions,
    'quantum_jobs/*',
  )
  await server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: true, reason: 'warming up' })
  const shown = (await server.guest.get('/api/qpus/north')).body
  await eventually('four events', () => stream.events.length >= 5)
  for (const topic of ['qpus/*', `qpus/${qpu.id}`, 'qpus', withOptions]) {
    expect(stream.of(topic)).toEqual([{ action: 'update', record: shown }])
  }
  expect(new Set(stream.events.map((event) => event.id))).toEqual(new Set([await stream.clientId()]))

  const job = await addJob(server, user)
  await eventually('the job', () => stream.of('quantum_jobs/*').length === 1)
  const [listed] = (await server.as(user).get('/api/jobs')).body as unknown[]
  expect(stream.of('quantum_jobs/*')).toEqual([{ action: 'create', record: listed }])
  expect(JSON.stringify(stream.events)).not.toMatch(/not_before|"qubits"|access_token|tokenKey|password/)
  await server.db.write('remove job', (tx) => tx.remove(quantumJobs, job.id))
  await eventually('the removal', () => stream.of('quantum_jobs/*').length === 2)
  expect(stream.of('quantum_jobs/*')[1]).toMatchObject({ action: 'delete', record: { id: job.id } })
})

test('a new list of topics replaces the old one', async () => {
  await using server = await openTestServer()
  const qpu = await server.createQpu('north')
  await using stream = await listenAs(server, server.guest, 'qpus/*')
  await subscribe(server.guest, stream, ['quantum_jobs/*'])
  await server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: true })
  const user = await server.createUser()
  await addJob(server, user)
  await eventually('the job', () => stream.of('quantum_jobs/*').length === 1)
  expect(stream.of('qpus/*')).toEqual([])
})

test('configured names are the topics', async () => {
  await using server = await openTestServer({ settings: { jobsCollection: 'work', qpusCollection: 'chips' } })
  await using stream = await listenAs(server, server.guest, 'work/*', 'chips/*')
  await server.createQpu('north')
  await eventually('the QPU', () => stream.of('chips/*').length === 1)
  const refused = await subscribe(server.guest, stream, ['qpus/*'])
  expect(refused.body).toMatchObject({
    status: 400,
    message: expect.stringContaining('chips/*, chips/ID, work/*'),
  })
})

test('POST /api/realtime refuses what it cannot do, and says why', async () => {
  await using server = await openTestServer()
  await using stream = await open(server)
  const user = await server.createUser()
  const other = await server.createUser()
  const clientId = await stream.clientId()
  const cases: [TestClient, unknown, number, string][] = [
    [server.guest, { clientId: 'unknown', subscriptions: [] }, 404, 'Missing or invalid client id.'],
    [server.guest, { subscriptions: [] }, 400, 'Invalid request body.'],
    [server.guest, { clientId, subscriptions: ['users/*'] }, 400, 'There is no topic users/*; available are'],
    [server.guest, { clientId, subscriptions: ['qpus/not an id'] }, 400, 'There is no topic qpus/not an id'],
    [server.guest, { clientId, subscriptions: ['a'.repeat(2_501)] }, 400, 'Invalid request body.'],
    [server.guest, { clientId, subscriptions: Array(1_001).fill('qpus/*') }, 400, 'Invalid request body.'],
    [server.guest, { clientId, subscriptions: ['qpus/*?options={'] }, 400, 'The options of a topic'],
    [
      server.guest,
      { clientId, subscriptions: [`qpus/*?options=${encodeURIComponent('{"query":{"filter":"a=1"}}')}`] },
      400,
      'A topic cannot have the option filter',
    ],
    [server.as(user), { clientId, subscriptions: ['qpus/*'] }, 204, ''],
    [server.as(other), { clientId, subscriptions: ['qpus/*'] }, 403, 'The current and the previous request'],
    [server.guest, { clientId, subscriptions: ['qpus/*'] }, 403, 'The current and the previous request'],
    [server.as(user), { clientId }, 204, ''],
  ]
  for (const [client, body, status, message] of cases) {
    const answer = await client.post('/api/realtime', body)
    expect([JSON.stringify(body).slice(0, 90), answer.status]).toEqual([
      JSON.stringify(body).slice(0, 90),
      status,
    ])
    if (message !== '') expect(answer.text('message')).toStartWith(message)
  }
})

test('with --jobs-visibility owner a job is heard of by its owner and superusers only', async () => {
  await using server = await openTestServer({ settings: { jobsVisibility: 'owner' } })
  const [owner, other] = [await server.createUser(), await server.createUser()]
  const listeners = [server.as(owner), server.as(other), server.guest, server.admin]
  const streams = await Promise.all(
    listeners.map((client) => listenAs(server, client, 'quantum_jobs/*', 'qpus/*')),
  )
  await addJob(server, owner)
  await server.createQpu()
  for (const stream of streams) await eventually('the QPU', () => stream.of('qpus/*').length === 1)
  expect(streams.map((stream) => stream.of('quantum_jobs/*').length)).toEqual([1, 0, 0, 1])
  await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()))
})

test('a stream loses its rights with the credentials that opened it', async () => {
  await using server = await openTestServer({ settings: { jobsVisibility: 'owner' } })
  const ends: [string, (user: TestAccount) => Promise<unknown>][] = [
    ['login', (user) => server.db.write('t', (tx) => tx.update(users, user.id, { tokenKey: 'new' }))],
    ['login', (user) => server.db.write('t', (tx) => tx.update(users, user.id, { disabled: true }))],
    ['login', (user) => server.db.write('t', (tx) => tx.remove(users, user.id))],
    ['api token', (user) => server.admin.patch(`/api/admin/users/${user.id}`, { api_tokens: [] })],
  ]
  for (const [kind, end] of ends) {
    const user = await server.createUser()
    const token = kind === 'login' ? undefined : (await server.as(user).post('/api/tokens')).text('token')
    const client = token ? new TestClient(server.url, { 'x-api-token': token }) : server.as(user)
    await using stream = await listenAs(server, client, 'quantum_jobs/*', 'qpus/*')
    const owner = await server.db.write('job', (tx) => tx.insert(quantumJobs, { user_id: user.id }))
    await eventually('the first job', () => stream.of('quantum_jobs/*').length === 1)
    await end(user)
    await Bun.sleep(20)
    const before = stream.events.length
    await server.db.write('touch', (tx) => tx.update(quantumJobs, owner.id, { error_code: 'touched' }))
    await server.createQpu()
    await eventually('the QPU', () => stream.of('qpus/*').length === 1)
    expect([kind, stream.events.length - before]).toEqual([kind, 1])
  }
})

test('at most 5 streams per user are bound; the sixth is told so', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const streams = await Promise.all(Array.from({ length: 6 }, () => open(server)))
  const answers = []
  for (const stream of streams) answers.push(await subscribe(server.as(user), stream, ['qpus/*']))
  expect(answers.map((answer) => answer.status)).toEqual([204, 204, 204, 204, 204, 429])
  expect((await server.as(user).get('/api/realtime')).status).toBe(429)
  await streams[0]?.[Symbol.asyncDispose]()
  await eventually('there is room again', async () => {
    const last = streams[5]
    return last && (await subscribe(server.as(user), last, ['qpus/*'])).status === 204
  })
  await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()))
})

test('50 clients all hear every change, and none is left behind when they go', async () => {
  await using server = await openTestServer()
  const streams = await Promise.all(
    Array.from({ length: 50 }, () => listenAs(server, server.guest, 'quantum_jobs/*')),
  )
  const user = await server.createUser()
  for (let at = 0; at < 20; at += 1) await addJob(server, user, { number: at })
  for (const stream of streams) await eventually('20 jobs', () => stream.of('quantum_jobs/*').length === 20)
  const orders = new Set(
    streams.map((stream) => JSON.stringify(stream.events.slice(1).map((each) => each.data))),
  )
  expect(orders.size).toBe(1)
  await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()))
  const { realtime } = server.server
  await eventually('all streams have ended', () => realtime.size === 0)
})

test('a client that does not read is dropped, and others hear on', async () => {
  await using server = await openTestServer()
  await using stream = await listenAs(server, server.guest, 'quantum_jobs/*')
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.write('GET /api/realtime HTTP/1.1\r\nHost: a\r\n\r\n')
  const id = await eventually(
    'its id',
    () => /clientId":"(\w+)"/.exec(Buffer.concat(received).toString())?.[1],
  )
  await server.guest.post('/api/realtime', { clientId: id, subscriptions: ['quantum_jobs/*'] })
  socket.pause()
  const user = await server.createUser()
  const payload = { text: 'x'.repeat(100_000) }
  let sent = 0
  const { realtime } = server.server
  await eventually('it is dropped', async () => {
    await addJob(server, user, payload)
    sent += 1
    return realtime.size === 1
  })
  expect(sent).toBeLessThan(200)
  await eventually('the other has all', () => stream.of('quantum_jobs/*').length === sent)
  socket.destroy()
})

test('a large record comes without its large values', async () => {
  await using server = await openTestServer()
  await using stream = await listenAs(server, server.guest, 'quantum_jobs/*')
  const user = await server.createUser()
  const { id } = await addJob(server, user, { text: 'x'.repeat(1_000_000) })
  await eventually('the job', () => stream.of('quantum_jobs/*').length === 1)
  const [event] = stream.of('quantum_jobs/*')
  expect(event).toMatchObject({ action: 'create', record: { id, status: 'pending', partial: true } })
  expect(JSON.stringify(event)).not.toContain('payload')
})

test('streams beat every 20 s and end after 5 idle minutes or 30 minutes in all', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  await using idle = await open(server)
  await using busy = await listenAs(server, server.guest, 'qpus/*')
  await clock.advance(60_000)
  await eventually('three beats', () => idle.comments >= 3)
  const qpu = await server.createQpu()
  for (let minute = 2; minute <= 30; minute += 1) {
    await server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: minute % 2 === 0 })
    await eventually('the change', () => busy.of('qpus/*').length === minute)
    expect(busy.isOver).toBe(false)
    await clock.advance(60_000)
    if (minute >= 6) await eventually('the idle stream is over', () => idle.isOver)
  }
  await eventually('the busy stream is over', () => busy.isOver)
})
