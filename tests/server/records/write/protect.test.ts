import { expect, test } from 'bun:test'
import { type AnyCollection, COLLECTIONS, type Field } from '../../../../src/db/index.ts'
import { behaviorOf } from '../../../../src/server/records/behaviors/index.ts'
import { openWorld, type World } from '../../../support/server/sample-records.ts'
import type { TestClient } from '../../../support/server/server.ts'

/** A value that differs from every value the test stores. */
function otherValue(field: Field): unknown {
  switch (field.kind.publicType) {
    case 'number':
      return 4_321
    case 'bool':
      return true
    case 'date':
      return '2031-05-05 05:05:05.000Z'
    case 'select':
      return field.kind.schema(field).enum?.at(-1)
    case 'relation':
      return field.reference?.isList ? ['zzzzzzzzzzzzzzz'] : 'zzzzzzzzzzzzzzz'
    case 'json':
      return { forged: true }
    case 'email':
      return 'forged@example.org'
    default:
      return 'forged'
  }
}

const stored = ({ server, ids }: World, collection: AnyCollection) =>
  server.db.read((tx) => tx.find(collection, ids[collection.name] ?? ''))

function isSetByServer(collection: AnyCollection, name: string, field: Field): boolean {
  const isPassword = collection.type === 'auth' && name === 'password'
  const fixed = behaviorOf(collection).fixed?.update?.includes(name)
  return !isPassword && Boolean(field.internal || field.readOnly || fixed)
}

/** Every field of every collection that has a record in `world`. */
const FIELDS = (COLLECTIONS as readonly AnyCollection[]).flatMap((collection) =>
  Object.entries(collection.fields).map(([name, field]) => ({ collection, name, field })),
)

/** The response to a PATCH of one field with another value, which must not change the stored record. */
async function refusedPatch(
  world: World,
  client: TestClient,
  { collection, name, field }: (typeof FIELDS)[0],
) {
  const before = await stored(world, collection)
  const path = `/api/collections/${collection.publicName}/records/${world.ids[collection.name]}`
  const value = field.kind.publicType === 'bool' ? !Reflect.get(before ?? {}, name) : otherValue(field)
  const response = await client.patch(path, { [name]: value })
  expect([collection.name, name, await stored(world, collection)]).toEqual([collection.name, name, before])
  return response
}

test('no PATCH of a superuser changes a field that the server sets', async () => {
  const world = await openWorld()
  await using server = world.server
  const fixed = FIELDS.filter(({ collection, name, field }) => isSetByServer(collection, name, field))
  expect(fixed.length).toBeGreaterThan(20)
  for (const each of fixed) {
    const { body } = await refusedPatch(world, server.admin, each)
    expect([each.name, body]).toMatchObject([
      ...[each.name, { code: 'read_only_field', data: { [each.name]: { code: 'read_only_field' } } }],
    ])
  }
})

/** The fields that users may change in their own records. */
const FREE: Record<string, readonly string[]> = {
  users: ['emailVisibility', 'username', 'mail_job_after', 'mail_slot_start', 'mail_time_request'],
  time_slots: ['start_time', 'end_time', 'qpu'],
}

test('no PATCH of a user changes other fields than their own', async () => {
  const world = await openWorld()
  await using server = world.server
  const me = server.as(world.owner)
  for (const each of FIELDS.filter(({ collection, name }) => !FREE[collection.name]?.includes(name))) {
    const { status, body } = await refusedPatch(world, me, each)
    // A closed rule leads to 403; a rule that admits the owner leads to 400 with the field.
    const isOpen = each.collection.rules.update !== null
    const data = isOpen ? { [each.name]: { code: expect.any(String) } } : {}
    expect([each.name, status, body]).toMatchObject([each.name, isOpen ? 400 : 403, { data }])
  }
})

test('no POST of a user sets a protected field', async () => {
  const world = await openWorld()
  await using server = world.server
  const circuits = [{ circuit: 'OPENQASM 3.0; qubit q; bit c; c = measure q;' }]
  const right: Record<string, object> = {
    quantum_jobs: { payload: { circuits }, qpu_target: 'north' },
    qpu_time_requests: { seconds: 60, requested_reason: 'please' },
    time_slots: { start_time: '2030-02-01 10:00:00.000Z', end_time: '2030-02-01 11:00:00.000Z' },
  }
  const forbidden: Record<string, string[]> = {
    quantum_jobs: ['id', 'status', 'results', 'duration', 'finished_at', 'attempt', 'error_code', 'driver'],
    qpu_time_requests: ['status', 'handled_by', 'rejection_reason'],
    time_slots: [],
  }
  for (const [name, body] of Object.entries(right)) {
    const collection = COLLECTIONS.find((each) => each.name === name)
    if (!collection) throw new Error(name)
    const count = () => server.db.read((tx) => tx.list(collection as AnyCollection).length)
    const before = await count()
    for (const field of forbidden[name] ?? []) {
      const declared: Field | undefined = Object.entries(collection.fields).find(
        ([each]) => each === field,
      )?.[1]
      const value = declared ? otherValue(declared) : 'abcdefghij12345'
      const response = await server
        .as(world.owner)
        .post(`/api/collections/${name}/records`, { ...body, [field]: value })
      expect([field, response.status, response.body]).toMatchObject([field, 400, { code: 'read_only_field' }])
    }
    // The create rule refuses a record that belongs to another user.
    const { owner = '' } = behaviorOf(collection)
    const given = { ...body, [owner]: 'zzzzzzzzzzzzzzz' }
    const response = await server.as(world.owner).post(`/api/collections/${name}/records`, given)
    expect([response.status, response.body]).toMatchObject([
      ...[400, { message: 'Failed to create record.', data: {} }],
    ])
    expect(await count()).toBe(before)
  }
})

test('sending back a record as it was read changes only the edited fields', async () => {
  const world = await openWorld()
  await using server = world.server
  const path = `/api/collections/users/records/${world.owner.id}`
  const me = server.as(world.owner)
  const { body } = await me.get(path)
  expect((await me.patch(path, { ...Object(body), username: 'ada' })).body).toMatchObject({
    ...{ username: 'ada', qpu_seconds: 10 },
  })
  const qpuPath = `/api/collections/qpus/records/${world.ids['qpus']}`
  const qpu = await server.admin.get(qpuPath)
  const changed = await server.admin.patch(qpuPath, { ...Object(qpu.body), num_qubits: 7 })
  expect(changed.body).toMatchObject({ num_qubits: 7, access_token: qpu.text('access_token') })
})

test('an id can be set at creation and never changes', async () => {
  const world = await openWorld()
  await using server = world.server
  const path = '/api/collections/notifications/records'
  const created = await server.admin.post(path, { id: 'abcdefghij12345', title: 'x', created: '2001-01-01' })
  expect(created.text('id')).toBe('abcdefghij12345')
  expect(created.text('created')).not.toStartWith('2001')
  const response = await server.admin.patch(`${path}/abcdefghij12345`, { id: 'abcdefghij12346' })
  expect(response.body).toMatchObject({ status: 400, data: { id: { code: 'validation_pk_change' } } })
  expect((await server.admin.post(path, { id: 'x', title: 'x' })).body).toMatchObject({
    data: { id: { code: 'validation_min_text_constraint' } },
  })
})

test('a secret cannot be guessed by sending values', async () => {
  const world = await openWorld()
  await using server = world.server
  const user = await server.db.read((tx) =>
    tx.one<{ tokenKey: string }>('SELECT "tokenKey" FROM users WHERE id = $id', { id: world.owner.id }),
  )
  const path = `/api/collections/users/records/${world.owner.id}`
  for (const tokenKey of [user?.tokenKey, 'another']) {
    expect((await server.as(world.owner).patch(path, { tokenKey })).status).toBe(400)
  }
})
