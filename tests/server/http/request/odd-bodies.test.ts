import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLog } from '../../../../src/base/index.ts'
import { COLLECTIONS, checkInvariants } from '../../../../src/db/index.ts'
import { closeRow, faultRuns } from '../../../support/faults/fault-runs.ts'
import { openTestServer } from '../../../support/server/server.ts'

// Row H2 of docs/reference/faults.md: every route sends a declared response to any body.
const RUNS = faultRuns(400)

/** Keys with a meaning in JavaScript, SQL or the service. */
const KEYS = [
  ...['__proto__', 'constructor', 'toString', 'length', '', '\0', "' OR 1=1 --", '$ne', '@jsonPayload'],
  ...['id', 'name', 'token', 'email', 'password', 'identity', 'enabled', 'seconds', 'status', 'user', 'qpu'],
  ...['circuits', 'circuit', 'shots', 'parameter_values', 'subscriptions', 'clientId', 'expires_at', 'title'],
  ...['seconds+', 'name-', 'target_users+', 'collectionId', 'created'],
]
const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', 0, -0, 1e308, 2 ** 53, 'a'.repeat(5_000), '\ud800', '\0', '1e999'),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.double(),
  fc.integer(),
)
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 6 }),
  ),
}))
const object = fc.dictionary(fc.constantFrom(...KEYS), json, { maxKeys: 8 })
/** The text of a body: complete, or with a part removed or replaced. */
const text = fc.oneof(
  object.map((value) => JSON.stringify(value)),
  json.map((value) => JSON.stringify(value) ?? ''),
  fc
    .tuple(object, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(9), fc.string({ maxLength: 6 }))
    .map(([value, place, cut, put]) => {
      const whole = JSON.stringify(value)
      const at = Math.floor(place * whole.length)
      return whole.slice(0, at) + put + whole.slice(at + cut)
    }),
  fc.nat(2_000).map((depth) => `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`),
)

test('every route responds to any body from any caller as declared, without a failure', async () => {
  const errors: string[] = []
  const log = createLog({ format: 'json', level: 'error', write: (line) => void errors.push(line) })
  await using server = await openTestServer({ log, settings: { loginRate: '0', allowSignup: 'true' } })
  const user = server.as(await server.createUser({ qpuSeconds: 100 }))
  const qpu = await server.createQpu()
  const paths = server.server.routes
    // Logins are slow, and the page at the end of a login at a provider redirects.
    .filter(({ method, path }) => method !== 'GET' && !/auth-with|oauth2-redirect/.test(path))
    .flatMap(({ method, path }) => {
      const named = path.replace(':id', qpu.id)
      if (!named.includes(':collection')) return [{ method, path: named }]
      return COLLECTIONS.map(({ publicName }) => ({
        method,
        path: named.replace(':collection', publicName),
      }))
    })
  const request = fc.record({
    route: fc.constantFrom(...paths),
    client: fc.constantFrom(server.guest, user, user, server.admin),
    body: text,
  })
  const seen = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(request, async ({ route: { method, path }, client, body }) => {
      const { status } = await client.call(method, path, body)
      seen.set(status, (seen.get(status) ?? 0) + 1)
      expect([path, body, status]).not.toContain(500)
    }),
    { numRuns: RUNS },
  )
  closeRow('H2', {
    bodies: RUNS,
    routes: paths.length,
    ...Object.fromEntries([...seen].sort()),
    failures: errors.length,
  })
  expect(errors).toEqual([])
  expect(await server.db.read((tx) => checkInvariants(tx))).toEqual([])
}, 600_000)

test('a value without a text form is refused at its field', async () => {
  await using server = await openTestServer()
  const user = server.as(await server.createUser())
  const odd = { toString: 0 }
  for (const [client, collection, body, field] of [
    [user, 'qpu_time_requests', { user: odd, seconds: 5 }, 'user'],
    [server.admin, 'qpu_time_requests', { user: [[odd]], seconds: 5 }, 'user'],
    [server.admin, 'notifications', { title: 'Tea', target_users: [odd] }, 'target_users'],
    [server.admin, 'notifications', { title: 'Tea', id: odd }, 'id'],
    [server.admin, 'api_tokens', { token: odd, user: 'aaaaaaaaaaaaaaa' }, 'token'],
  ] as const) {
    const response = await client.post(`/api/collections/${collection}/records`, body)
    const fields: object = Object(response.get('data'))
    expect([collection, field, response.status]).toEqual([collection, field, 400])
    // For users, the rule decides about the owner, without a field.
    if (client === server.admin) expect(Object.keys(fields)).toContain(field)
  }
})
