import { afterAll, beforeAll, expect, test } from 'bun:test'
import { PROGRAM } from '../../support/server/access/row.ts'
import {
  openTestServer,
  type TestAccount,
  TestClient,
  type TestQpu,
  type TestServer,
} from '../../support/server/server.ts'
import { until } from '../../support/until.ts'

let server: TestServer
let qpu: TestQpu
let user: TestAccount
let lab: TestClient
let far: TestClient
beforeAll(async () => {
  server = await openTestServer()
  qpu = await server.createQpu('kelvin')
  user = await server.createUser({ qpuSeconds: 1_000 })
  lab = await clusterToken('lab')
  far = await clusterToken('far')
  await map('lab', 1000, user.id)
  await map('far', 1000, user.id)
})
afterAll(() => server[Symbol.asyncDispose]())

async function clusterToken(cluster: string): Promise<TestClient> {
  const made = await server.admin.post('/api/tokens', { scope: 'session', cluster })
  return new TestClient(server.url, { 'x-api-token': made.text('token') })
}

const map = (cluster: string, uid: number, id: string) =>
  server.admin.post('/api/collections/cluster_accounts/records', { cluster, uid, user: id })

const start = (client: TestClient, body: object = {}) =>
  client.post('/api/sessions', {
    ...{ qpu_target: qpu.name, seconds: 600, cluster: 'lab', uid: 1000 },
    holder: { kind: 'slurm', id: '7' },
    ...body,
  })

test('a cluster opens, lists, extends and ends sessions for its accounts', async () => {
  const started = await start(lab)
  expect([started.status, started.get('user')]).toEqual([201, user.id])
  const path = `/api/sessions/${started.get('id')}`
  const job = await server
    .as({ token: started.text('secret') })
    .post('/api/jobs', { circuits: [{ circuit: PROGRAM }], shots: 1 })
  expect(job.status).toBe(201)
  expect((await server.as(user).get(`/api/jobs/${job.get('id')}`)).status).toBe(200)
  const found = await lab.get('/api/sessions?holder=slurm:7')
  expect((found.body as { id: string }[]).map(({ id }) => id)).toEqual([started.text('id')])
  expect((await lab.call('PATCH', path, { seconds: 900 })).get('seconds')).toBe(900)
  const ended = await lab.call('DELETE', `${path}?holder=${started.get('holder')}`)
  expect([ended.status, ended.get('state')]).toEqual([200, 'closed'])
  expect((await lab.get('/api/sessions?holder=slurm:7')).body).toEqual([])
})

test('another cluster has the same job numbers and users, and neither sees nor ends what it does not hold', async () => {
  const started = await start(lab)
  const path = `/api/sessions/${started.get('id')}`
  expect((await far.get('/api/sessions')).body).toEqual([])
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    expect([
      method,
      (await far.call(method, path, method === 'PATCH' ? { seconds: 1 } : undefined)).status,
    ]).toEqual([method, 404])
  const joined = await start(far, { cluster: 'far' })
  const names = async (client: TestClient) =>
    ((await client.get(path)).get('holders') as { name: string }[]).map(({ name }) => name)
  expect([await names(far), await names(server.as(user))]).toEqual([['7'], ['lab:7', 'far:7']])
  expect([joined.get('id'), joined.get('holder') === started.get('holder')]).toEqual([
    started.get('id'),
    false,
  ])
  expect((await far.call('DELETE', `${path}?holder=${started.get('holder')}`)).status).toBe(404)
  expect((await far.call('DELETE', path)).get('state')).toBe('queued')
  const own = await server.as(user).post('/api/sessions', { qpu_target: qpu.name, seconds: 600 })
  expect((await lab.call('DELETE', path)).get('state')).toBe('queued')
  expect((await server.as(user).call('DELETE', `/api/sessions/${own.get('id')}`)).get('state')).toBe('closed')
})

test('only mapped, enabled accounts of the own cluster, never root, and nobody but a cluster names one', async () => {
  const refusal = async (body: object, client = lab) => {
    const refused = await start(client, body)
    return [refused.status, refused.get('code')]
  }
  expect(await refusal({ uid: 1001 })).toEqual([403, 'account_not_mapped'])
  expect(await refusal({ cluster: 'far' })).toEqual([403, 'other_cluster'])
  expect((await refusal({ uid: 0 }))[0]).toBe(400)
  expect((await refusal({ uid: undefined }))[0]).toBe(400)
  expect((await refusal({}, server.as(user)))[0]).toBe(400)
  expect((await refusal({}, server.admin))[0]).toBe(400)
  expect((await map('lab', 0, user.id)).status).toBe(400)
  expect((await map('lab', 1000, user.id)).status).toBe(400)
  const asUser = await server.as(user).post('/api/tokens', { scope: 'session', cluster: 'lab' })
  expect([asUser.status, (await server.admin.post('/api/tokens', { scope: 'session' })).status]).toEqual([
    400, 400,
  ])
  const other = await server.createUser({ qpuSeconds: 1_000 })
  await map('lab', 1002, other.id)
  await server.admin.call('PATCH', `/api/collections/users/records/${other.id}`, { disabled: true })
  expect(await refusal({ uid: 1002 })).toEqual([403, 'account_disabled'])
  await server.admin.call('DELETE', `/api/collections/users/records/${other.id}`)
  expect(await refusal({ uid: 1002 })).toEqual([403, 'account_not_mapped'])
  const path = '/api/collections/cluster_accounts/records?filter=uid%3D1002'
  await until('the account to be removed', async () => (await server.admin.get(path)).get('totalItems') === 0)
})
