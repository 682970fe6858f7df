import { expect, test } from 'bun:test'
import { FakeClock } from '../support/fake-clock.ts'
import { sharedServer } from '../support/postgres/server.ts'
import { openTestServer, type TestClient, type TestServer } from '../support/server/server.ts'
import { Comparison, withoutRandom } from './compare.ts'
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

interface Side extends AsyncDisposable {
  test: TestServer
  clock: FakeClock
  clients: Record<Role, TestClient>
}

/** A server on a file, or on PostgreSQL. */
async function open(settings: Record<string, string>): Promise<Side> {
  const clock = new FakeClock()
  const server = await openTestServer({ clock, settings })
  await fill(server.db, new Random(SEED), clock.now())
  const impersonate = async (index: number) => {
    const answer = await server.admin.post(`/api/collections/users/impersonate/${idOf('u', index)}`)
    return server.as({ token: answer.text('token') })
  }
  const clients = {
    guest: server.guest,
    ada: await impersonate(0),
    bob: await impersonate(1),
    root: server.admin,
  }
  const side = { test: server, clock, clients, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  await settle(side, 30)
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
      const [ours, theirs] = await Promise.all([
        call(file, sent, (index) => ids[index]?.[0] ?? ''),
        call(server, sent, (index) => ids[index]?.[1] ?? ''),
      ])
      await Promise.all([file.clock.advance(STEP_MS), server.clock.advance(STEP_MS)])
      if (sent.path.startsWith('/api/op/recalls') && ours.status < 300) {
        await Promise.all([settle(file, 5), settle(server, 5)])
      }
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

async function call({ clients }: Side, sent: Sent, idOfMade: (index: number) => string) {
  const text = JSON.stringify(sent).replaceAll(/«(\d+)»/g, (_, index) => idOfMade(Number(index)))
  const { as, method, path, query = {}, body, headers }: Sent = JSON.parse(text)
  const { url, headers: credentials } = clients[as]
  const response = await fetch(`${url}${path}?${new URLSearchParams(query)}`, {
    method,
    headers: {
      ...credentials,
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const type = response.headers.get('content-type')
  const content = await response.text()
  const isJson = type?.startsWith('application/json;') || type === 'application/json'
  return { status: response.status, type, body: isJson ? JSON.parse(content) : inOrder(content) }
}

/** The lines of a file in an order that does not depend on the random part of the ids. */
function inOrder(content: string): string[] {
  return content.split('\n').toSorted((one, other) => (withoutRandom(one) < withoutRandom(other) ? -1 : 1))
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}
