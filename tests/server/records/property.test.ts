import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { COLLECTIONS, checkInvariants } from '../../../src/db/index.ts'
import { openTestServer, type TestClient, type TestServer } from '../../support/server/server.ts'

const PROGRAM = 'OPENQASM 3.0; qubit q; bit c; c = measure q;'

/** Keys of a collection, with modifiers and unknown keys. */
function keysOf(path: string): string[] {
  const collection = COLLECTIONS.find(({ publicName }) => path.startsWith(`${publicName}/`))
  const names = Object.keys(collection?.fields ?? {})
  return [
    ...names.flatMap((name) => [name, name, name, `${name}+`, `${name}-`, `+${name}`]),
    ...['tokenKey:autogenerate', 'oldPassword', 'id', 'created', 'collectionName', '__proto__'],
  ]
}

/** Valid values of some fields, and many invalid ones; ids stand for the record at that index. */
const values = (ids: readonly string[]) =>
  fc.oneof(
    fc.constantFrom('', 'pending', 'approved', 'rejected', 'cancelled', 'completed', 'running', 'failed'),
    fc.constantFrom(...ids, 'zzzzzzzzzzzzzzz'),
    fc.constantFrom(
      '2031-01-01 10:00:00.000Z',
      '2031-01-01 11:00:00.000Z',
      '2031-01-01 12:00:00.000Z',
      'soon',
    ),
    fc.oneof(fc.integer({ min: -5, max: 100 }), fc.double(), fc.constant(1e300)),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.constantFrom(...ids, 5, null), { maxLength: 3 }),
    fc.constant({ circuits: [{ circuit: PROGRAM }] }),
    fc.constant('some password'),
    fc.emailAddress(),
    fc.string(),
  )

/** Records of every collection in which callers can create records. */
async function seed(server: TestServer): Promise<string[]> {
  const user = await server.createUser({ qpuSeconds: 50 })
  const qpu = await server.createQpu('north')
  const make = async (name: string, body: object, client = server.admin) =>
    `${name}/records/${(await client.post(`/api/collections/${name}/records`, body)).text('id')}`
  const me = server.as(user)
  const slot = (hour: number) => ({
    start_time: `2031-01-01 ${hour}:00:00.000Z`,
    end_time: `2031-01-01 ${hour + 1}:00:00.000Z`,
  })
  const token = (await me.post('/api/tokens')).text('id')
  return [
    ...[`users/records/${user.id}`, `qpus/records/${qpu.id}`, `drivers/records/${qpu.driver}`],
    `api_tokens/records/${token}`,
    await make('time_slots', slot(10), me),
    await make('time_slots', slot(13)),
    await make('qpu_time_requests', { seconds: 20 }, me),
    await make('qpu_time_requests', { seconds: 0.5, user: user.id }),
    await make('quantum_jobs', { payload: { circuits: [{ circuit: PROGRAM }] } }, me),
    await make('notifications', { title: 'Tea' }),
    await make('calibration_requests', { driver: (await server.createTuner(qpu)).id, mode: 'full' }),
  ]
}

interface Step {
  client: TestClient
  method: string
  path: string
  body: Record<string, unknown>
}

test('random writes by any caller preserve all invariants and never fail unexpectedly', async () => {
  await using server = await openTestServer({
    settings: { allowSignup: 'true', maxSlotAhead: '100000h' },
  })
  const paths = await seed(server)
  const ids = paths.map((path) => path.split('/').at(-1) ?? '')
  const user = server.as(await server.createUser({ qpuSeconds: 50 }))
  const step = fc.constantFrom(...paths).chain((path) =>
    fc.record({
      client: fc.constantFrom(server.admin, server.admin, user, server.guest),
      method: fc.constantFrom('PATCH', 'PATCH', 'PATCH', 'PATCH', 'POST', 'DELETE'),
      path: fc.constant(path),
      body: fc.dictionary(fc.constantFrom(...keysOf(path)), values(ids), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    }),
  )
  let changed = 0
  const write = async ({ client, method, path, body }: Step) => {
    // Without this, most records would be deleted early.
    if (method === 'DELETE' && client === server.admin) return
    const target = method === 'POST' ? path.replace(/\/[^/]*$/, '') : path
    const sent = method === 'DELETE' ? undefined : body
    const response = await client.call(method, `/api/collections/${target}`, sent)
    expect([method, target, JSON.stringify(body), response.status]).not.toContain(500)
    if (response.status === 200 && Object.keys(body).length > 0) changed += 1
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const each of steps) await write(each)
      expect(await server.db.read((tx) => checkInvariants(tx))).toEqual([])
    }),
    { numRuns: 90 },
  )
  expect(changed).toBeGreaterThan(20)
})
