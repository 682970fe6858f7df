import { afterAll, beforeAll, expect, test } from 'bun:test'
import { PROGRAM } from '../../support/server/access/row.ts'
import {
  openTestServer,
  type TestAccount,
  type TestQpu,
  type TestServer,
} from '../../support/server/server.ts'

let server: TestServer
let qpu: TestQpu
let other: TestQpu
beforeAll(async () => {
  server = await openTestServer()
  qpu = await server.createQpu('kelvin')
  other = await server.createQpu('celsius')
})
afterAll(() => server[Symbol.asyncDispose]())

const JOB = { circuits: [{ circuit: PROGRAM }], shots: 10 }

async function start(user: TestAccount, body: object = {}, headers: Record<string, string> = {}) {
  const request = { qpu_target: qpu.name, seconds: 600, ...body }
  return server.as(user).call('POST', '/api/sessions', request, headers)
}

test('a repeated start returns the same holder and secret, and another key joins', async () => {
  const user = await server.createUser({ qpuSeconds: 1_000 })
  const key = { 'idempotency-key': 'one' }
  const first = await start(user, {}, key)
  const again = await start(user, {}, key)
  expect([first.status, again.status]).toEqual([201, 200])
  expect([again.get('holder'), again.get('secret')]).toEqual([first.get('holder'), first.get('secret')])
  const joined = await start(user, {}, { 'idempotency-key': 'two' })
  expect([joined.get('id'), joined.get('holder') === first.get('holder')]).toEqual([first.get('id'), false])
  expect((await start(user, { seconds: 5 }, key)).get('code')).toBe('idempotency_key_reused')
  expect((await start(user, { mode: 'batch' })).get('code')).toBe('session_open')
  const ended = await server.as(user).call('DELETE', `/api/sessions/${first.get('id')}`)
  expect([ended.get('state'), ended.get('end')]).toEqual(['closed', 'ended'])
  // Not a secret that opens nothing.
  const late = await start(user, {}, key)
  expect([late.status, late.get('code')]).toEqual([409, 'session_closed'])
})

test('sessions are opened as often as slots are booked; joining one is not counted', async () => {
  const user = await server.createUser({ qpuSeconds: 1_000 })
  const statuses: number[] = []
  for (let round = 0; round < 70 && !statuses.includes(429); round++) {
    const opened = await start(user)
    statuses.push(opened.status)
    if (opened.status === 201) await server.as(user).call('DELETE', `/api/sessions/${opened.get('id')}`)
  }
  expect(statuses.length).toBeGreaterThan(59)
  expect(statuses.at(-1)).toBe(429)
  const joiner = await server.createUser({ qpuSeconds: 1_000 })
  const joined = Array.from({ length: 70 }, () => start(joiner))
  expect((await Promise.all(joined)).every(({ status }) => status === 201)).toBe(true)
})

test('a secret submits to its QPU as its user until the end, and then reads its jobs only', async () => {
  const user = await server.createUser({ qpuSeconds: 1_000 })
  const started = await start(user)
  const [id, secret] = [String(started.get('id')), String(started.get('secret'))]
  const client = server.as({ token: secret })
  const job = await client.post('/api/jobs', JOB)
  expect(job.status).toBe(201)
  const own = await server.as(user).post('/api/jobs', JOB)
  const elsewhere = await client.post('/api/jobs', { ...JOB, qpu_target: other.name })
  expect([elsewhere.status, elsewhere.get('code')]).toEqual([403, 'other_qpu'])
  for (const path of ['/api/jobs', '/api/me', '/api/tokens', '/api/collections/users/records'])
    expect([path, (await client.get(path)).status]).toEqual([path, path.includes('collections') ? 200 : 401])
  expect((await client.get(`/api/jobs/${own.get('id')}`)).status).toBe(404)
  const known = [job, own].map((each) => ({ id: each.get('id') }))
  const news = await client.post('/api/jobs/changes', { known, wait: 0 })
  expect((news.get('jobs') as { id: string }[]).map(({ id }) => id)).toEqual([job.text('id')])
  expect(news.get('unknown')).toEqual([own.get('id')])
  await server.as(user).call('DELETE', `/api/sessions/${id}`)
  expect((await client.post('/api/jobs', JOB)).get('code')).toBe('session_ended')
  expect((await client.get(`/api/jobs/${job.get('id')}`)).status).toBe(200)
  const forged = server.as({ token: `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}` })
  expect((await forged.get(`/api/sessions/${id}`)).status).toBe(401)
})

test('a request that waits for a session responds when it is active or has ended, and when its time is over', async () => {
  const [first, second] = [
    await server.createUser({ qpuSeconds: 1_000 }),
    await server.createUser({ qpuSeconds: 1_000 }),
  ]
  const id = String((await start(first)).get('id'))
  const waiting = server.as(first).get(`/api/sessions/${id}?wait=30`)
  await server.as(first).call('DELETE', `/api/sessions/${id}`)
  expect((await waiting).get('state')).toBe('closed')
  const queued = String((await start(second)).get('id'))
  expect((await server.as(second).get(`/api/sessions/${queued}?wait=1`)).get('state')).toBe('queued')
  expect((await server.as(first).get(`/api/sessions/${queued}`)).status).toBe(404)
  const ended = await server.admin.call('DELETE', `/api/sessions/${queued}?reason=cooling`)
  expect([ended.get('state'), ended.get('end_reason')]).toEqual(['closed', 'cooling'])
})

test('a program that waits says so, and one that leaves when it is done ends with its jobs', async () => {
  const [first, second] = [
    await server.createUser({ qpuSeconds: 1_000 }),
    await server.createUser({ qpuSeconds: 1_000 }),
  ]
  const before = await start(first)
  const started = await start(second, { holder: { awaited: true } })
  const path = `/api/sessions/${started.get('id')}`
  const until = () =>
    server.db.read((tx) =>
      tx.one<{ at: string }>('SELECT awaited_until AS at FROM session_holders WHERE id = $id', {
        id: started.text('holder'),
      }),
    )
  await server.db.write('pass', (tx) =>
    tx.run('UPDATE session_holders SET awaited_until = $at WHERE id = $id', {
      id: started.text('holder'),
      at: tx.at,
    }),
  )
  const passed = (await until())?.at ?? ''
  await server.as(second).get(`${path}?wait=1`)
  expect((await until())?.at).toBe(passed)
  const own = server.as({ token: started.text('secret') })
  await own.get(`${path}?wait=1`)
  expect(((await until())?.at ?? '') > passed).toBe(true)
  const job = await own.post('/api/jobs', JOB)
  expect((await own.call('DELETE', `${path}?when=done`)).get('state')).toBe('queued')
  await server.as(second).post(`/api/jobs/${job.get('id')}/cancel`)
  expect((await own.call('DELETE', `${path}?when=done`)).get('state')).toBe('closed')
  await server.as(first).call('DELETE', `/api/sessions/${before.get('id')}`)
})

test('superusers read sessions by record routes, and write none', async () => {
  const user = await server.createUser({ qpuSeconds: 1_000 })
  const id = String((await start(user)).get('id'))
  const path = `/api/collections/sessions/records`
  expect((await server.admin.get(`${path}/${id}`)).status).toBe(200)
  const row = { user: user.id, qpu: other.id, seconds: 60, idle_seconds: 5 }
  const refused = [
    await server.admin.post(path, row),
    await server.admin.patch(`${path}/${id}`, { state: 'closed' }),
    await server.admin.call('DELETE', `${path}/${id}`),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
  expect((await server.as(user).get(`/api/sessions/${id}`)).get('state')).not.toBe('closed')
  const ended = await server.admin.call('DELETE', `/api/sessions/${id}?reason=cooling`)
  expect(ended.get('end_reason')).toBe('cooling')
})

test('a session that a superuser opens by impersonation has a secret that ends with that login', async () => {
  const user = await server.createUser({ qpuSeconds: 1_000 })
  const path = `/api/collections/users/impersonate/${user.id}`
  const issued = await server.admin.post(path, { duration: 120 })
  const body = { qpu_target: qpu.name, seconds: 600 }
  const started = await server.as({ token: issued.text('token') }).post('/api/sessions', body)
  const [holder] = started.get('holders') as { ends_at: string }[]
  const ends = Date.parse(holder?.ends_at ?? '')
  expect(ends).toBeGreaterThan(Date.now())
  expect(ends).toBeLessThanOrEqual(Date.now() + 120_000)
})

test('a job that names a session is refused if it is unknown, of another user or QPU, or has ended', async () => {
  const [user, stranger] = [
    await server.createUser({ qpuSeconds: 1_000 }),
    await server.createUser({ qpuSeconds: 1_000 }),
  ]
  const session = String((await start(user)).get('id'))
  const submit = (by: TestAccount, more: object) => server.as(by).post('/api/jobs', { ...JOB, ...more })
  const placed = await submit(user, { session })
  expect([placed.status, placed.get('qpu_target')]).toEqual([201, qpu.id])
  const refused = [
    await submit(user, { session: 'nothing' }),
    await submit(stranger, { session }),
    await submit(user, { session, qpu_target: other.name }),
  ]
  expect(refused.map((each) => `${each.status} ${each.get('code')}`)).toEqual([
    '422 session_not_found',
    '422 session_not_found',
    '422 session_of_other_qpu',
  ])
  const tried = await server.as(user).post('/api/jobs?dry_run=true', { ...JOB, session: 'nothing' })
  expect(tried.body).toMatchObject({ accepted: false, problems: [{ code: 'session_not_found' }] })
  await server.as(user).call('DELETE', `/api/sessions/${session}`)
  const closed = await submit(user, { session })
  expect(`${closed.status} ${closed.get('code')}`).toBe('409 session_closed')
})

test('a session is extended as often as slots are booked', async () => {
  const user = await server.createUser({ qpuSeconds: 1_000 })
  const path = `/api/sessions/${(await start(user)).get('id')}`
  const extend = (seconds: number) => server.as(user).patch(path, { seconds })
  const statuses: number[] = []
  for (let round = 0; round < 70 && !statuses.includes(429); round++)
    statuses.push((await extend(700 + round)).status)
  expect([statuses.length > 55, statuses.at(-1)]).toEqual([true, 429])
})

test('a response has 50 holders, those that have not ended first', async () => {
  const user = await server.createUser({ qpuSeconds: 1_000 })
  const join = (name: number) => start(user, { holder: { kind: 'slurm', id: `${name}` } })
  const first = await join(0)
  const [id, holder] = [first.get('id'), first.get('holder')]
  for (let name = 1; name < 60; name++) await join(name)
  await server.as(user).call('DELETE', `/api/sessions/${id}?holder=${holder}`)
  const holders = (await server.as(user).get(`/api/sessions/${id}`)).get('holders') as { ended_at: string }[]
  expect([holders.length, holders.every(({ ended_at }) => ended_at === '')]).toEqual([50, true])
})
