import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../../src/base/index.ts'
import { openServerDatabase } from '../../../../src/db/index.ts'
import { notifications } from '../../../../src/db/store/accounts/index.ts'
import { importWhole, toJsonLines, wholeDatabase } from '../../../../src/db/transfer/index.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { onlySqlite } from '../../../support/postgres/only-sqlite.ts'
import {
  type TestServer as Postgres,
  postgresMissing,
  startServer,
} from '../../../support/postgres/server.ts'
import { openTestServer, type TestServer } from '../../../support/server/server.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const REFUSED = ['\0', '\ud800', '\udc00', '\u0007', '\u007f', '\u0085', '\u202e', '\u2066']
const LINES = ['\t', '\n', '\r\n']
const ALLOWED = ['\u200e', '\u200f', '\u200d', 'é', '😀']

const PROGRAM = 'OPENQASM 3.0; qubit q; bit c; c = measure q;'
const JOB = { circuits: [{ circuit: PROGRAM }], shots: 1 }

interface World {
  qpu: string
  user: string
  job: string
}
type Place = (world: World, text: string) => [method: string, path: string, body: object]

const NOTICES = '/api/collections/notifications/records'
/** Where people write texts of one line. */
const IN_ONE_LINE: Record<string, Place> = {
  'name of a token': (_, name) => ['POST', '/api/tokens', { name }],
  'name of a new job': (_, name) => ['POST', '/api/jobs', { ...JOB, name }],
  'tag of a new job': (_, tag) => ['POST', '/api/jobs', { ...JOB, tags: [tag] }],
  'name of a job': ({ job }, name) => ['PATCH', `/api/jobs/${job}`, { name }],
  'tag of a job': ({ job }, tag) => ['PATCH', `/api/jobs/${job}`, { tags: [tag] }],
  'title of a notice': (_, title) => ['POST', NOTICES, { title }],
  'name of a user': ({ user }, text) => [
    'PATCH',
    `/api/collections/users/records/${user}`,
    { username: text },
  ],
}
/** Where they write texts that may have lines. */
const IN_LINES: Record<string, Place> = {
  'reason of a maintenance': ({ qpu: id }, reason) => [
    'POST',
    '/api/op/qpu/maintenance',
    { id, maintenance: true, reason },
  ],
  'text of a notice': (_, description) => ['POST', NOTICES, { title: 't', description }],
}
/** Where they name records, of which none has such an id. */
const IDS: Record<string, Place> = {
  'QPU of a new job': (_, qpu) => ['POST', '/api/jobs', { ...JOB, qpu }],
  'QPU of a maintenance': (_, id) => ['POST', '/api/op/qpu/maintenance', { id, maintenance: true }],
  driver: (_, id) => ['POST', '/api/op/drivers/toggle', { id, enabled: true }],
  'job of a link': (_, record) => ['POST', '/api/shares', { kind: 'job', record }],
  'addressee of a notice': (_, id) => ['POST', NOTICES, { title: 't', target_users: [id] }],
  'QPU of a slot': (_, qpu) => ['POST', '/api/collections/time_slots/records', { qpu }],
  'QPU of a calendar': (_, qpu) => ['POST', '/api/calendar-feed', { qpu }],
}

async function createWorld(server: TestServer): Promise<World> {
  // The other one accepts jobs during the maintenance.
  await server.createQpu('north')
  const { id: qpu } = await server.createQpu('south')
  const { id: user } = await server.createUser()
  return { qpu, user, job: (await server.admin.post('/api/jobs', JOB)).text('id') }
}

const shown = (text: string) => JSON.stringify(text)

/** The places that take a text, or do not answer 404 or 400. */
async function send(server: TestServer, world: World, place: Place, text: string) {
  const [method, path, body] = place(world, text)
  const { status, body: answer } = await server.admin.call(method, path, body)
  return { status, answer: JSON.stringify(answer) }
}

/** Each place with each text that it refuses or takes against what is expected. */
async function mismatches(server: TestServer, world: World): Promise<string[]> {
  const found: string[] = []
  const check = async (places: Record<string, Place>, text: string, isRefused: boolean) => {
    for (const [name, place] of Object.entries(places)) {
      const { status, answer } = await send(server, world, place, `a${text}b`)
      const isNamed = answer.includes('"data":{"')
      if (isRefused ? status !== 400 || !isNamed : status >= 300)
        found.push(`${name} ${shown(text)}: ${status} ${answer}`)
    }
  }
  for (const text of REFUSED)
    for (const places of [IN_ONE_LINE, IN_LINES, IDS]) await check(places, text, true)
  for (const text of LINES) {
    await check(IN_ONE_LINE, text, true)
    await check(IN_LINES, text, false)
  }
  // User names have rules of their own.
  const { 'name of a user': _, ...free } = IN_ONE_LINE
  for (const text of ALLOWED) for (const places of [free, IN_LINES]) await check(places, text, false)
  for (const path of [
    '/api/jobs/a%00b',
    '/api/qpus/a%00b',
    '/api/jobs?tag=a%00b',
    `${NOTICES}?filter=title%3D%27a%00%27`,
  ]) {
    const { status } = await server.admin.get(path)
    if (status !== 400) found.push(`${path}: ${status}`)
  }
  return found
}

const STORES = ['SQLite', 'PostgreSQL'] as const
const START_MS = 60_000

describe('texts that people write', () => {
  let postgres: Postgres | undefined
  beforeAll(async () => {
    if (postgresMissing === undefined) postgres = await startServer()
  }, START_MS)
  afterAll(() => postgres?.[Symbol.asyncDispose]())

  async function settingsOf(store: (typeof STORES)[number]): Promise<Record<string, string>> {
    if (store === 'SQLite' || !postgres) return { database: '' }
    const { host, port, database, user } = await postgres.createDatabase()
    return { database: `postgres://${user}@${host}:${port}/${database}` }
  }

  for (const store of STORES) {
    test.skipIf(store === 'PostgreSQL' && postgresMissing !== undefined)(
      `are checked in each place, with ${store}`,
      async () => {
        await using server = await openTestServer({ settings: await settingsOf(store) })
        expect(await mismatches(server, await createWorld(server))).toEqual([])
      },
      START_MS,
    )
  }

  test('that are stored already do not stop changes of other fields', async () => {
    await using server = await openTestServer({ settings: { database: '' } })
    const { id } = await server.db.write('notice', (tx) => tx.insert(notifications, { title: 't' }))
    await server.db.write('old', (tx) =>
      tx.run('UPDATE notifications SET title = $title WHERE id = $id', { id, title: 'a\0b\u202ec' }),
    )
    const stored = await server.admin.get(`${NOTICES}/${id}`)
    expect(stored.text('title')).toBe('a\0b\u202ec')
    const whole = await server.admin.patch(`${NOTICES}/${id}`, { ...Object(stored.body), description: 'new' })
    expect([whole.status, whole.get('title'), whole.get('description')]).toEqual([200, 'a\0b\u202ec', 'new'])
    expect((await server.admin.patch(`${NOTICES}/${id}`, { title: 'c\u202ed' })).status).toBe(400)
  })

  test.skipIf(postgresMissing !== undefined || onlySqlite('its file'))(
    'that SQLite has stored move to PostgreSQL, with U+FFFD for what it does not store',
    async () => {
      await using file = await openTestDatabase()
      await file.db.write('old', (tx) => {
        for (const [id, title, targets] of [
          ['n00000000000001', 'a\0b', '[]'],
          ['n00000000000002', 'a\ud800b', '["x\\u0000\\\\u0000\\ud800 \\ud83d\\ude00"]'],
          ['n00000000000003', 'a\u202eb', '[]'],
        ] as const) {
          tx.insert(notifications, { id, title: 't' })
          tx.run('UPDATE notifications SET title = $title, target_users = $targets WHERE id = $id', {
            id,
            title,
            targets,
          })
        }
      })
      using folder = temporaryFolder()
      const path = join(folder.path, 'whole.jsonl')
      writeFileSync(path, (await Array.fromAsync(toJsonLines(wholeDatabase(file.place)))).join(''))
      if (!postgres) throw new Error('skipped')
      const place = { server: await postgres.createDatabase() }
      await importWhole({ path, place, clock: systemClock, log: silentLog })
      const db = await openServerDatabase({
        ...place,
        clock: systemClock,
        log: silentLog,
        patienceMs: START_MS,
      })
      const moved = await db.read((tx) => tx.list(notifications, { sort: 'id' }))
      await db.close()
      expect(moved.map(({ title }) => title.replaceAll('\ufffd', '?'))).toEqual([
        'a?b',
        expect.stringMatching(/^a\?+b$/),
        'a\u202eb',
      ])
      expect(moved[1]?.target_users).toEqual(['x\ufffd\\u0000\ufffd \u{1f600}'])
    },
    START_MS,
  )
})
