import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { apiTokens, SCOPE_LADDER, type TokenScope } from '../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../src/db/store/jobs/index.ts'
import { hashToken } from '../../src/server/access-token.ts'
import { statusesOf } from '../../src/server/http/error-codes.ts'
import { onlySqlite } from '../support/postgres/only-sqlite.ts'
import { JOBS } from '../support/server/access/record-rows.ts'
import {
  fresh,
  inSession,
  isOperation,
  ROLES,
  scopeOf,
  statusOfCluster,
  type World,
} from '../support/server/access/row.ts'
import { TABLE } from '../support/server/access/table.ts'
import { openTestServer, TestClient } from '../support/server/server.ts'

let world: World
beforeAll(async () => {
  const server = await openTestServer()
  const [owner, other] = [
    await server.createUser({ qpuSeconds: 1_000 }),
    await server.createUser({ qpuSeconds: 1_000 }),
  ]
  const token = (await server.as(owner).post('/api/tokens')).text('token')
  const scoped = async (scope: TokenScope) => {
    const created = await server.as(owner).post('/api/tokens', { scope })
    expect(created.get('scope')).toBe(scope)
    return new TestClient(server.url, { 'x-api-token': created.text('token') })
  }
  const operating = await server.admin.post('/api/tokens', { scope: 'operate' })
  expect(operating.get('scope')).toBe('operate')
  const ofCluster = await server.admin.post('/api/tokens', { scope: 'session', cluster: 'lab' })
  expect([ofCluster.get('scope'), ofCluster.get('cluster')]).toEqual(['session', 'lab'])
  const qpu = await server.createQpu('north')
  const { id: tuner } = await server.createTuner(qpu)
  const [{ name: south }, holder] = [
    await server.createQpu('south'),
    await server.createUser({ qpuSeconds: 9 }),
  ]
  const started = await server.as(holder).post('/api/sessions', { qpu_target: south, seconds: 600 })
  world = {
    server,
    owner,
    qpu,
    tuner,
    clients: {
      guest: server.guest,
      owner: server.as(owner),
      other: server.as(other),
      program: new TestClient(server.url, { 'x-api-token': token }),
      superuser: server.admin,
    },
    scoped: {
      ...{ read: await scoped('read'), submit: await scoped('submit'), all: await scoped('all') },
      operate: new TestClient(server.url, { 'x-api-token': operating.text('token') }),
      session: new TestClient(server.url, { 'x-api-token': ofCluster.text('token') }),
    },
    inSession: server.as({ token: started.text('secret') }),
    async job() {
      const job = await server.db.write('job', (tx) =>
        tx.insert(quantumJobs, { user_id: owner.id, qpu_target: qpu.id, payload: { circuits: [] } }),
      )
      return job.id
    },
    async token() {
      const row = { user: owner.id, token: hashToken(fresh('token')) }
      return (await server.db.write('token', (tx) => tx.insert(apiTokens, row))).id
    },
  }
})
afterAll(() => world.server[Symbol.asyncDispose]())

/** The status of a response; its body, which may be an endless stream, is not read. */
async function statusOf(client: TestClient, method: string, path: string, body?: object): Promise<number> {
  const abort = new AbortController()
  const response = await fetch(`${client.url}${path}`, {
    method,
    headers: { ...client.headers },
    signal: abort.signal,
    redirect: 'manual',
    ...(body && { body: JSON.stringify(body) }),
  })
  abort.abort()
  return response.status
}

describe('access by route and caller', () => {
  for (const row of TABLE) {
    const { route, statuses, call } = row
    const isOfFile = route.includes(' /api/op/backups') && onlySqlite('its file')
    test.skipIf(isOfFile)(`${route} → ${statuses.join(' ')}`, async () => {
      const [method = '', pattern = ''] = route.split(' ')
      const seen: number[] = []
      for (const role of ROLES) {
        const { path = pattern, body } = (await call?.(world)) ?? {}
        seen.push(await statusOf(world.clients[role], method, path, body))
      }
      expect(seen).toEqual([...statuses])
    })

    test.skipIf(isOfFile)(`${route} by scope of an API token`, async () => {
      const [method = '', pattern = ''] = route.split(' ')
      const [seen, expected]: [number[], number[]] = [[], []]
      for (const scope of SCOPE_LADDER) {
        const { path = pattern, body } = (await call?.(world)) ?? {}
        seen.push(await statusOf(world.scoped[scope], method, path, body))
        const isCreation = route === 'POST /api/collections/:collection/records'
        const needed = isCreation && path !== JOBS ? 'all' : scopeOf(route)
        const isEnough = SCOPE_LADDER.indexOf(scope) >= SCOPE_LADDER.indexOf(needed)
        expected.push(isEnough ? (statuses[ROLES.indexOf('program')] ?? 0) : 403)
      }
      expect(seen).toEqual(expected)
    })

    test.skipIf(isOfFile)(`${route} by the secret of a session`, async () => {
      const [method = '', pattern = ''] = route.split(' ')
      const { path = pattern, body } = (await call?.(world)) ?? {}
      expect(await statusOf(world.inSession, method, path, body)).toBe(inSession(row))
    })

    test.skipIf(isOfFile)(`${route} by the token of an operator`, async () => {
      const [method = '', pattern = ''] = route.split(' ')
      const { path = pattern, body } = (await call?.(world)) ?? {}
      const expected = isOperation(route) ? statuses[ROLES.indexOf('superuser')] : 403
      expect(await statusOf(world.scoped.operate, method, path, body)).toBe(expected ?? 0)
    })

    test.skipIf(isOfFile)(`${route} by the token of a cluster`, async () => {
      const [method = '', pattern = ''] = route.split(' ')
      const { path = pattern, body } = (await call?.(world)) ?? {}
      expect(await statusOf(world.scoped.session, method, path, body)).toBe(statusOfCluster(route))
    })
  }

  test('the table has every declared route and no other', () => {
    const declared = world.server.server.routes.map(({ method, path }) => `${method} ${path}`)
    expect([...new Set(TABLE.map((row) => row.route))].sort()).toEqual(declared.sort())
  })

  test('every observed status is declared by its route', () => {
    for (const { route, statuses } of TABLE) {
      const declared = world.server.server.routes.find(({ method, path }) => `${method} ${path}` === route)
      const known = declared && statusesOf(declared)
      for (const status of statuses) expect([route, known]).toEqual([route, expect.arrayContaining([status])])
    }
  })

  test('expired or foreign credentials make the caller a guest', async () => {
    for (const headers of [
      { authorization: 'nonsense' },
      { authorization: 'Bearer ' },
      { authorization: 'Basic cm9vdDpyb290' },
      { 'x-api-token': '' },
      { 'x-api-token': 'svc_0000' },
      { authorization: world.qpu.token },
    ]) {
      const client = new TestClient(world.server.url, headers)
      expect([
        await statusOf(client, 'GET', '/api/jobs'),
        await statusOf(client, 'GET', '/api/qpus'),
      ]).toEqual([401, 200])
    }
  })
})
