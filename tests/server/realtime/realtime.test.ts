import { expect, test } from 'bun:test'
import { users } from '../../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, type TestAccount, TestClient, type TestServer } from '../../support/server/server.ts'
import { listenAs, openStream, subscribe, withOptions } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'

/** A stored job of this user; it need not be executable. */
function addJob(server: TestServer, user: { id: string }, payload: unknown = { circuits: [] }) {
  return server.db.write('add job', (tx) => tx.insert(quantumJobs, { user_id: user.id, payload }))
}

test('GET /api/realtime opens with PB_CONNECT and the id of the client', async () => {
  await using server = await openTestServer()
  await using stream = await openStream(server)
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
  const optional = withOptions('qpus/*', {})
  await using stream = await listenAs(
    server.guest,
    'qpus/*',
    `qpus/${qpu.id}`,
    'qpus',
    optional,
    'quantum_jobs/*',
  )
  await server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: true, reason: 'warming up' })
  const shown = (await server.guest.get(`/api/collections/qpus/records/${qpu.id}`)).body
  await until('four events', () => stream.events.length >= 5)
  for (const topic of ['qpus/*', `qpus/${qpu.id}`, 'qpus', optional]) {
    expect(stream.of(topic)).toEqual([{ action: 'update', record: shown }])
  }
  expect(new Set(stream.events.map((event) => event.id))).toEqual(new Set([await stream.clientId()]))

  const job = await addJob(server, user)
  await until('the job', () => stream.of('quantum_jobs/*').length === 1)
  const viewed = (await server.guest.get(`/api/collections/quantum_jobs/records/${job.id}`)).body
  expect(stream.of('quantum_jobs/*')).toEqual([{ action: 'create', record: viewed }])
  expect(JSON.stringify(stream.events)).not.toMatch(/not_before|"qubits"|access_token|tokenKey|password/)
  await server.db.write('remove job', (tx) => tx.remove(quantumJobs, job.id))
  await until('the removal', () => stream.of('quantum_jobs/*').length === 2)
  expect(stream.of('quantum_jobs/*')[1]).toMatchObject({ action: 'delete', record: { id: job.id } })
})

test('a new list of topics replaces the old one', async () => {
  await using server = await openTestServer()
  const qpu = await server.createQpu('north')
  await using stream = await listenAs(server.guest, 'qpus/*')
  await subscribe(server.guest, stream, ['quantum_jobs/*'])
  await server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: true })
  const user = await server.createUser()
  await addJob(server, user)
  await until('the job', () => stream.of('quantum_jobs/*').length === 1)
  expect(stream.of('qpus/*')).toEqual([])
})

test('of two lists that are sent at once the later one is in force', async () => {
  await using server = await openTestServer()
  await using stream = await openStream(server)
  await stream.clientId()
  const long = Array.from({ length: 50 }, (_, at) =>
    withOptions('qpus/*', {
      filter: Array.from({ length: 30 }, (_, k) => `num_qubits != ${at}${k}`).join('&&'),
    }),
  )
  const [first, second] = [subscribe(server.guest, stream, long), subscribe(server.guest, stream, ['qpus'])]
  expect([(await first).status, (await second).status]).toEqual([204, 204])
  await server.createQpu('north')
  await until('the QPU', () => stream.of('qpus').length === 1)
  expect(stream.events.map(({ event }) => event)).toEqual(['PB_CONNECT', 'qpus'])
})

test('configured names are the topics', async () => {
  await using server = await openTestServer({ settings: { jobsCollection: 'work', qpusCollection: 'chips' } })
  await using stream = await listenAs(server.guest, 'work/*', 'chips/*')
  await server.createQpu('north')
  await until('the QPU', () => stream.of('chips/*').length === 1)
  await subscribe(server.guest, stream, ['qpus/*', 'chips'])
  await server.createQpu('south')
  await until('the QPU', () => stream.of('chips').length === 1)
  expect(stream.of('qpus/*')).toEqual([])
})

test('POST /api/realtime refuses invalid subscriptions with a reason', async () => {
  await using server = await openTestServer()
  await using stream = await openStream(server)
  const user = await server.createUser()
  const other = await server.createUser()
  const clientId = await stream.clientId()
  const cases: [TestClient, unknown, number, string][] = [
    [server.guest, { clientId: 'unknown', subscriptions: [] }, 404, 'Missing or invalid client id.'],
    [server.guest, { subscriptions: [] }, 400, 'Invalid request body.'],
    [server.guest, { clientId, subscriptions: ['a'.repeat(2_501)] }, 400, 'Invalid request body.'],
    [server.guest, { clientId, subscriptions: Array(1_001).fill('qpus/*') }, 400, 'Invalid request body.'],
    [server.guest, { clientId, subscriptions: ['qpus/*?options={'] }, 400, 'The options of a topic'],
    [server.guest, { clientId, subscriptions: ['qpus/*?options=[]'] }, 400, 'The options of a topic'],
    [
      server.guest,
      { clientId, subscriptions: ['qpus/*?options={"query":1}'] },
      400,
      'The query in the options',
    ],
    [
      server.guest,
      { clientId, subscriptions: [withOptions('qpus/*', { filter: 'a=1' })] },
      400,
      'There is no field "a" in qpus',
    ],
    [
      server.guest,
      { clientId, subscriptions: [withOptions('qpus/*', { filter: '@request.auth.id = ""' })] },
      403,
      'Only superusers can filter by @request.',
    ],
    [
      server.guest,
      {
        clientId,
        subscriptions: [withOptions('qpus/*', { filter: 'quantum_jobs_via_qpu_target.id != ""' })],
      },
      400,
      'A subscription cannot filter by records that name the changed one',
    ],
    [
      server.guest,
      { clientId, subscriptions: [withOptions('qpus/*', { fields: 'name:nonsense()' })] },
      400,
      ':nonsense is not a modifier of fields',
    ],
    [server.as(user), { clientId, subscriptions: ['qpus/*'] }, 204, ''],
    [server.as(other), { clientId, subscriptions: ['qpus/*'] }, 403, 'The current and the previous request'],
    [server.guest, { clientId, subscriptions: ['qpus/*'] }, 403, 'The current and the previous request'],
    [server.as(user), { clientId }, 204, ''],
  ]
  for (const [client, body, status, message] of cases) {
    const response = await client.post('/api/realtime', body)
    expect([JSON.stringify(body).slice(0, 90), response.status]).toEqual([
      JSON.stringify(body).slice(0, 90),
      status,
    ])
    if (message !== '') expect(response.text('message')).toStartWith(message)
  }
})

test('with --jobs-visibility owner only the owner and superusers receive a job', async () => {
  await using server = await openTestServer({ settings: { jobsVisibility: 'owner' } })
  const [owner, other] = [await server.createUser(), await server.createUser()]
  const listeners = [server.as(owner), server.as(other), server.guest, server.admin]
  const streams = await Promise.all(listeners.map((client) => listenAs(client, 'quantum_jobs/*', 'qpus/*')))
  await addJob(server, owner)
  await server.createQpu()
  for (const stream of streams) await until('the QPU', () => stream.of('qpus/*').length === 1)
  expect(streams.map((stream) => stream.of('quantum_jobs/*').length)).toEqual([1, 0, 0, 1])
  await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()))
})

test('a stream loses its permissions when its credentials become invalid', async () => {
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
    await using stream = await listenAs(client, 'quantum_jobs/*', 'qpus/*')
    const owner = await server.db.write('job', (tx) => tx.insert(quantumJobs, { user_id: user.id }))
    await until('the first job', () => stream.of('quantum_jobs/*').length === 1)
    await end(user)
    await server.db.write('touch', (tx) => tx.update(quantumJobs, owner.id, { error_code: 'touched' }))
    await server.createQpu()
    await until('the QPU', () => stream.of('qpus/*').length === 1)
    const touched = stream.of('quantum_jobs/*').filter((event) => JSON.stringify(event).includes('touched'))
    expect([kind, touched]).toEqual([kind, []])
  }
})

test('a user can have at most 5 streams; the sixth is refused', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const streams = await Promise.all(Array.from({ length: 6 }, () => openStream(server)))
  const responses = []
  for (const stream of streams) responses.push(await subscribe(server.as(user), stream, ['qpus/*']))
  expect(responses.map((response) => response.status)).toEqual([204, 204, 204, 204, 204, 429])
  expect((await server.as(user).get('/api/realtime')).status).toBe(429)
  await streams[0]?.[Symbol.asyncDispose]()
  await until('a stream can be opened again', async () => {
    const last = streams[5]
    return last && (await subscribe(server.as(user), last, ['qpus/*'])).status === 204
  })
  await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()))
})

test('streams that ask for heartbeats receive them every 2 s, with the kind of their caller', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  const user = await server.createUser()
  await using mine = await listenAs(server.as(user), '@heartbeat')
  await using guest = await listenAs(server.guest, '@heartbeat', 'qpus/*')
  await using other = await listenAs(server.guest, 'qpus/*')
  for (let beat = 1; beat <= 3; beat += 1) {
    await clock.advance(2_000)
    await until('a heartbeat', () => mine.of('@heartbeat').length >= beat)
  }
  await server.admin.patch(`/api/collections/users/records/${user.id}`, { disabled: true })
  await clock.advance(2_000)
  await until('a heartbeat', () => mine.of('@heartbeat').length >= 4)
  expect(mine.of('@heartbeat').map((data) => (data as { caller: string }).caller)).toEqual([
    ...['user', 'user', 'user', 'guest'],
  ])
  await subscribe(server.guest, guest, ['qpus/*'])
  const before = guest.of('@heartbeat').length
  expect(guest.of('@heartbeat')).toContainEqual({ caller: 'guest' })
  await clock.advance(4_000)
  await until('two more', () => mine.of('@heartbeat').length >= 6)
  expect(guest.of('@heartbeat')).toHaveLength(before)
  expect(other.events.map(({ event }) => event)).toEqual(['PB_CONNECT'])
})

test('streams send a comment every 20 s and end after 5 idle minutes or 30 minutes in total', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  await using idle = await openStream(server)
  await using busy = await listenAs(server.guest, 'qpus/*')
  await clock.advance(60_000)
  await until('three beats', () => idle.comments >= 3)
  const qpu = await server.createQpu()
  for (let minute = 2; minute <= 30; minute += 1) {
    await server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: minute % 2 === 0 })
    await until('the change', () => busy.of('qpus/*').length === minute)
    expect(busy.isOver).toBe(false)
    await clock.advance(60_000)
    if (minute >= 6) await until('the idle stream has ended', () => idle.isOver)
  }
  await until('the busy stream has ended', () => busy.isOver)
})
