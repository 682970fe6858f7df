import { expect, mock, spyOn, test } from 'bun:test'
import { FakeClock } from '../support/fake-clock.ts'
import { seeded } from '../support/fitting/seeded.ts'
import { sharedServer } from '../support/postgres/server.ts'
import { login, openTestServer, type TestClient, type TestServer } from '../support/server/server.ts'
import { Comparison } from './compare.ts'
import type { Role, Sent } from './draw.ts'
import { Random } from './random.ts'
import { Requests } from './requests.ts'
import { fill } from './stored.ts'
import { idOf } from './values.ts'

const REQUESTS = 10_000
/** Another one with `SVC_TEST_SEED`, such as `random`. */
const given = Number(process.env['SVC_TEST_SEED'] ?? 20_261_128)
const SEED = Number.isNaN(given) ? Date.now() % 2 ** 31 : given
const LIMIT_MS = 3_600_000

/** What depends on the time that a read takes. */
const TIMED = ['filter_too_costly', 'reader_busy']

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly body: unknown
}

interface Side extends AsyncDisposable {
  test: TestServer
  clock: FakeClock
  clients: Record<Role, TestClient>
}

/**
 * Both servers draw the same random bytes for a request, one after the other, so that the ids that it makes
 * are the same too: filters and orders may depend on them.
 */
function drawFor(request: number): void {
  const next = seeded(SEED + request)
  spyOn(crypto, 'getRandomValues').mockImplementation(<T extends ArrayBufferView | null>(array: T): T => {
    if (array instanceof Uint8Array) array.set(Array.from(array, () => Math.floor(next() * 256)))
    return array
  })
}

const ROOT = { email: 'same@example.org', password: 'the same superuser' }

/** A server on a file, or on PostgreSQL. */
async function open(settings: Record<string, string>): Promise<Side> {
  const clock = new FakeClock()
  const server = await openTestServer({ clock, settings })
  const [collection, { admin, superuser }] = ['/api/collections/_superusers', server]
  drawFor(-1)
  await admin.post(`${collection}/records`, ROOT)
  const root = server.as({ token: await login(server.guest, '_superusers', ROOT) })
  drawFor(-2)
  await root.call('DELETE', `${collection}/records/${superuser.id}`)
  await fill(server.db, new Random(SEED), clock.now())
  const impersonate = async (index: number) => {
    const answer = await root.post(`/api/collections/users/impersonate/${idOf('u', index)}`)
    return server.as({ token: answer.text('token') })
  }
  const clients = { guest: server.guest, ada: await impersonate(0), bob: await impersonate(1), root }
  const side = { test: server, clock, clients, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  await settle(side, 30)
  mock.restore()
  return side
}

/** Lets the background finish what the last requests began, in the same time on both servers. */
async function settle({ clock }: Pick<Side, 'clock'>, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await clock.advance(1_000)
    await Bun.sleep(20)
  }
}

/** Between two requests: of a caller, three lists in three seconds may find nothing without a delay. */
const STEP_MS = 1_100
const MAX_SHOWN = 25

test.skipIf(!sharedServer())(
  `${REQUESTS} random requests get the same responses from both stores`,
  async () => {
    await using file = await open({ database: '' })
    await using server = await open({})
    expect([file.test.db.files === undefined, server.test.db.files === undefined]).toEqual([false, true])
    const requests = new Requests(new Random(SEED), file.clock.now())
    const comparison = new Comparison()
    const ids: [file: string, server: string][] = []
    const statuses = new Map<number, number>()
    const found: string[] = []
    let timed = 0
    for (let count = 0; count < REQUESTS && found.length < MAX_SHOWN; count += 1) {
      const sent = requests.next()
      const [ours, theirs] = [
        await send(
          file,
          count,
          placed(sent, (index) => ids[index]?.[0]),
        ),
        await send(
          server,
          count,
          placed(sent, (index) => ids[index]?.[1]),
        ),
      ]
      if ([ours, theirs].some(({ body }) => TIMED.includes(String(memberOf(body, 'code'))))) {
        timed += 1
        continue
      }
      statuses.set(ours.status, (statuses.get(ours.status) ?? 0) + 1)
      const difference = comparison.difference(ours, theirs)
      if (difference !== undefined) found.push(`${count}: ${JSON.stringify(sent)} ${difference}`)
      const [id, other] = [ours, theirs].map(({ body }) => memberOf(body, 'id'))
      if (
        sent.makes !== undefined &&
        ours.status < 300 &&
        typeof id === 'string' &&
        typeof other === 'string'
      ) {
        requests.made(sent.makes, ids.push([id, other]) - 1, sent)
      }
    }
    expect({ seed: SEED, found }).toEqual({ seed: SEED, found: [] })
    expect(timed).toBeLessThan(REQUESTS / 100)
    for (const status of [200, 201, 400, 401, 403, 404, 409]) expect(statuses.get(status)).toBeGreaterThan(10)
    expect(statuses.get(500)).toBeUndefined()
  },
  LIMIT_MS,
)

/** The request for one of the servers, with its ids of made records. */
function placed(sent: Sent, idOfMade: (index: number) => string | undefined): Sent {
  return JSON.parse(JSON.stringify(sent).replaceAll(/«(\d+)»/g, (_, index) => idOfMade(Number(index)) ?? ''))
}

/** Sends request `number` and lets the background work for a short time. */
async function send(side: Side, number: number, sent: Sent): Promise<Answer> {
  drawFor(number)
  const answer = await call(side, sent)
  await side.clock.advance(STEP_MS)
  if (sent.path.startsWith('/api/op/recalls') && answer.status < 300) await settle(side, 5)
  mock.restore()
  return answer
}

async function call(
  { clients }: Side,
  { as, method, path, query = {}, body, headers }: Sent,
): Promise<Answer> {
  const { url, headers: credentials } = clients[as]
  const json = body !== undefined && { 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}?${new URLSearchParams(query)}`, {
    method,
    headers: { ...credentials, ...headers, ...json },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const type = response.headers.get('content-type')
  const text = await response.text()
  const isJson = /^application\/json(?:;|$)/.test(type ?? '')
  return { status: response.status, type, body: isJson ? JSON.parse(text) : text }
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}
