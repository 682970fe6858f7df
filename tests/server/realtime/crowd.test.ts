import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createLog } from '../../../src/base/index.ts'
import { notifications, users } from '../../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { openRawStream, type RawStream } from '../../support/server/raw-streams.ts'
import { openTestServer, type TestClient, type TestServer } from '../../support/server/server.ts'
import { listenAs } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'
import { part } from '../../support/whole.ts'

const settings = { guestStreams: '2000' }

/** `count` open streams, each with its id. */
async function openStreams(server: TestServer, count: number): Promise<RawStream[]> {
  const streams = await Promise.all(Array.from({ length: count }, () => openRawStream(server.url)))
  for (const stream of streams) await until('its id', () => stream.clientId())
  return streams
}

async function subscribeAll(client: TestClient, streams: readonly RawStream[], subscriptions: string[]) {
  await Promise.all(
    streams.map(async (stream) => {
      const response = await client.post('/api/realtime', { clientId: stream.clientId(), subscriptions })
      expect(response.status).toBe(204)
    }),
  )
}

const STREAMS = part(1_000, 120)

test(`${STREAMS} clients of one public topic receive 20 jobs each`, async () => {
  await using server = await openTestServer({ settings })
  const user = await server.createUser()
  const streams = await openStreams(server, STREAMS)
  await subscribeAll(server.guest, streams, ['quantum_jobs/*'])
  for (let at = 0; at < 20; at += 1) {
    await server.db.write('t', (tx) => tx.insert(quantumJobs, { user_id: user.id, payload: { at } }))
  }
  for (const stream of streams) await until('20 jobs', () => stream.events === 21)
  for (const stream of streams) stream.close()
  await until('all streams have ended', () => server.server.realtime.size === 0)
}, 60_000)

test('a bulk change reaches 1,000 clients completely while the server responds to others', async () => {
  await using server = await openTestServer({ settings })
  const streams = await openStreams(server, 1_000)
  const user = await server.createUser()
  await subscribeAll(server.guest, streams, ['quantum_jobs/*'])
  await server.db.write('t', (tx) => {
    for (let at = 0; at < 100; at += 1) tx.insert(quantumJobs, { user_id: user.id })
  })
  let responses = 0
  const hasAll = (stream: RawStream) => stream.events === 101
  while (!streams.every(hasAll)) {
    expect((await server.guest.get('/api/health')).status).toBe(200)
    responses += 1
  }
  // Dozens; two if all of it is published in one turn.
  expect(responses).toBeGreaterThan(10)
  for (const stream of streams) stream.close()
}, 60_000)

test('each of many users receives only their own notifications', async () => {
  await using server = await openTestServer({ settings })
  const accounts = await server.db.write('t', (tx) =>
    Array.from({ length: part(200, 60) }, (_, at) =>
      tx.insert(users, { email: `u${at}@b.cd`, tokenKey: `key ${at}` }),
    ),
  )
  const streams = await openStreams(server, accounts.length)
  await Promise.all(
    streams.map(async (stream, at) => {
      const created = await server.admin.post(`/api/collections/users/impersonate/${accounts[at]?.id}`, {})
      const client = server.as({ token: created.text('token') })
      await subscribeAll(client, [stream], ['notifications/*'])
    }),
  )
  await server.db.write('t', (tx) => {
    for (const { id } of accounts) tx.insert(notifications, { title: `for ${id}`, target_users: [id] })
    tx.insert(notifications, { title: 'for all' })
  })
  for (const stream of streams) await until('both', () => stream.events >= 3)
  for (const [at, stream] of streams.entries()) {
    expect([stream.events, stream.tail.includes(`for ${accounts[at]?.id}`)]).toEqual([3, true])
    stream.close()
  }
}, 60_000)

test('a client that does not read loses only its own stream', async () => {
  await using server = await openTestServer({ settings })
  await using stream = await listenAs(server.guest, 'quantum_jobs/*')
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.write('GET /api/realtime HTTP/1.1\r\nHost: a\r\n\r\n')
  const id = await until('its id', () => /clientId":"(\w+)"/.exec(Buffer.concat(received).toString())?.[1])
  await server.guest.post('/api/realtime', { clientId: id, subscriptions: ['quantum_jobs/*'] })
  socket.pause()
  const user = await server.createUser()
  const payload = { text: 'x'.repeat(50_000) }
  const { realtime } = server.server
  let sent = 0
  await until('it is dropped', async () => {
    await server.db.write('t', (tx) => tx.insert(quantumJobs, { user_id: user.id, payload }))
    sent += 1
    await until('the other receives the job', () => stream.of('quantum_jobs/*').length === sent)
    return realtime.size === 1
  })
  expect(sent).toBeLessThan(400)
  socket.destroy()
})

test('more changes at once than can be published end the streams and nothing else', async () => {
  const notes: string[] = []
  const log = createLog({ format: 'json', level: 'warn', write: (line) => void notes.push(line) })
  await using server = await openTestServer({ log })
  await using stream = await listenAs(server.guest, 'quantum_jobs/*')
  await using unconcerned = await listenAs(server.guest, 'qpus/*')
  const user = await server.createUser()
  const insert = (count: number) =>
    server.db.write('t', (tx) => {
      for (let at = 0; at < count; at += 1) tx.insert(quantumJobs, { user_id: user.id })
    })
  await insert(10_001)
  await until('both streams have ended', () => stream.isOver && unconcerned.isOver)
  await using again = await listenAs(server.guest, 'quantum_jobs/*')
  await insert(1)
  await until('the next job', () => again.of('quantum_jobs/*').length === 1)
  expect(notes.join('')).toContain('too many changes at the same time')
})
