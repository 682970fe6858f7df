import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createDeclared } from '../../support/database.ts'
import { type TestServer as Postgres, postgresMissing, startServer } from '../../support/postgres/server.ts'
import { PROGRAM } from '../../support/server/access/row.ts'
import {
  openTestServer,
  startDriverProcess,
  type TestAccount,
  TestClient,
  type TestQpu,
  type TestResponse,
  type TestServer,
} from '../../support/server/server.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

/** Ids of the holders that a response has. */
const holdersIn = (response: TestResponse) =>
  (response.get('holders') as { id: string; ended_at: string }[])
    .filter(({ ended_at }) => ended_at === '')
    .map(({ id }) => id)
const idsIn = (response: TestResponse) => (response.body as { id: string }[]).map(({ id }) => id)

describe.skipIf(postgresMissing !== undefined)('sessions on PostgreSQL', () => {
  let postgres: Postgres
  let server: TestServer
  let qpu: TestQpu
  let user: TestAccount

  beforeAll(async () => {
    postgres = await startServer()
    const { host, port, database, user: role } = await createDeclared(postgres)
    server = await openTestServer({
      settings: { database: `postgres://${role}@${host}:${port}/${database}` },
    })
    qpu = await server.createQpu('kelvin')
    user = await server.createUser({ qpuSeconds: 1_000 })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })

  const start = (client: TestClient, id: string, headers = {}, more = {}) => {
    const holder = { kind: 'slurm', id, ends_at: '2099-01-31T10:05:00Z' }
    const body = { qpu_target: qpu.name, seconds: 600, holder, ...more }
    return client.call('POST', '/api/sessions', body, headers)
  }

  test('its user starts, joins, lists, reads, awaits, extends and ends one', async () => {
    const client = server.as(user)
    const key = { 'idempotency-key': 'one' }
    const first = await start(client, '1', key)
    const again = await start(client, '1', key)
    expect([first.status, again.status, again.get('secret')]).toEqual([201, 200, first.get('secret')])
    const second = await start(client, '2')
    const [id, holders] = [first.text('id'), [first.text('holder'), second.text('holder')]]
    expect([second.status, second.get('id'), holdersIn(second)]).toEqual([201, id, holders])
    for (const query of ['', '?limit=1', '?qpu=kelvin&state=queued', '?holder=slurm:2'])
      expect([query, idsIn(await client.get(`/api/sessions${query}`))]).toEqual([query, [id]])
    expect(idsIn(await client.get('/api/sessions?holder=slurm:3'))).toEqual([])
    const own = server.as({ token: second.text('secret') })
    for (const each of [client, own, server.admin]) {
      expect(idsIn(await each.get('/api/sessions'))).toEqual([id])
      expect(holdersIn(await each.get(`/api/sessions/${id}`))).toEqual(holders)
    }
    expect((await client.get(`/api/sessions/${id}?wait=1&state=queued`)).get('state')).toBe('queued')
    expect((await own.patch(`/api/sessions/${id}`, { seconds: 900 })).get('seconds')).toBe(900)
    expect(holdersIn(await own.call('DELETE', `/api/sessions/${id}`))).toEqual(holders.slice(0, 1))
    const waiting = client.get(`/api/sessions/${id}?wait=30`)
    const ended = await client.call('DELETE', `/api/sessions/${id}?holder=${holders[0]}`)
    expect([ended.get('state'), ended.get('end'), holdersIn(ended)]).toEqual(['closed', 'ended', []])
    expect((await waiting).get('state')).toBe('closed')
  })

  test('a cluster does so for its accounts, and a superuser ends one with a reason', async () => {
    const account = { cluster: 'lab', uid: 1000, user: user.id }
    expect((await server.admin.post('/api/collections/cluster_accounts/records', account)).status).toBe(200)
    const made = await server.admin.post('/api/tokens', { scope: 'session', cluster: 'lab' })
    const lab = new TestClient(server.url, { 'x-api-token': made.text('token') })
    const held = await start(lab, '7', {}, { cluster: 'lab', uid: 1000 })
    const id = held.text('id')
    expect((await start(server.as(user), '7')).get('id')).toBe(id)
    expect(idsIn(await lab.get('/api/sessions?holder=slurm:7'))).toEqual([id])
    expect(holdersIn(await lab.get(`/api/sessions/${id}`))).toEqual([held.text('holder')])
    expect((await lab.patch(`/api/sessions/${id}`, { seconds: 60 })).get('seconds')).toBe(60)
    expect((await lab.call('DELETE', `/api/sessions/${id}`)).get('state')).toBe('queued')
    const ended = await server.admin.call('DELETE', `/api/sessions/${id}?reason=cooling`)
    expect([ended.get('state'), ended.get('end_reason')]).toEqual(['closed', 'cooling'])
  })

  test('a job inside costs nothing but the session, and one that its secret left waiting is cancelled', async () => {
    const started = await start(server.as(user), '9')
    const [id, own] = [started.text('id'), server.as({ token: started.text('secret') })]
    const job = { circuits: [{ circuit: PROGRAM }], shots: 1 }
    await using _driver = await startDriverProcess(server, { token: qpu.token })
    expect((await own.get(`/api/sessions/${id}?wait=30`)).get('state')).toBe('active')
    const inside = (await own.post('/api/jobs', job)).text('id')
    expect((await own.get(`/api/jobs/${inside}?wait=30`)).get('status')).toBe('completed')
    await server.admin.post('/api/op/qpu/drain', { name: qpu.name, drain: true })
    const left = (await own.post('/api/jobs', job)).text('id')
    await server.as(user).call('DELETE', `/api/sessions/${id}`)
    await until('the job to be cancelled', async () => {
      return (await own.get(`/api/jobs/${left}`)).get('status') === 'cancelled'
    })
    const charged = await server.db.read((tx) =>
      tx.all<{ kind: string; ms: number }>(
        `SELECT kind, 0 - sum(delta_ms) AS ms FROM qpu_ledger WHERE "user" = $user AND kind IN ('charge', 'session')
         GROUP BY kind ORDER BY kind`,
        { user: user.id },
      ),
    )
    expect(charged).toEqual([
      { kind: 'charge', ms: 0 },
      { kind: 'session', ms: expect.any(Number) },
    ])
    expect(charged[1]?.ms).toBeGreaterThan(0)
  })
})
