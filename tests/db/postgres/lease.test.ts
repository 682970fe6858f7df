import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { type AppError, silentLog } from '../../../src/base/index.ts'
import { users } from '../../../src/db/collections/users.ts'
import { COLLECTIONS } from '../../../src/db/collections.ts'
import type { ServerAddress } from '../../../src/db/engine/server-address.ts'
import { Lease } from '../../../src/db/postgres/lease/lease.ts'
import { acceptStateLoss } from '../../../src/db/postgres/lease/note.ts'
import { openServerDatabase } from '../../../src/db/postgres/open-database.ts'
import { MIGRATIONS } from '../../../src/db/schema/migrations/index.ts'
import { createDeclared } from '../../support/database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { postgresMissing, startServer, type TestServer } from '../../support/postgres/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { RUNS_WHOLE } from '../../support/whole.ts'

const START_MS = 60_000

if (postgresMissing) console.warn(`tests of the lease do not run: ${postgresMissing}`)

/** The data folders of all servers. */
const folders = temporaryFolder()
afterAll(() => folders[Symbol.dispose]())

function newFolder(): string {
  const path = join(folders.path, crypto.randomUUID())
  mkdirSync(path)
  return path
}

/** A server that shares a database; nothing but its lease and, once it leads, its database. */
class Contender implements AsyncDisposable {
  readonly leaders: string[] = []
  readonly lost: AppError[] = []
  readonly lease: Lease
  readonly #server: ServerAddress

  constructor(server: ServerAddress, address: string, { rootCa = 'aa', dir = newFolder() } = {}) {
    this.#server = server
    this.lease = new Lease({
      server,
      address,
      rootCa,
      dir,
      onStandby: (leader) => void this.leaders.push(leader),
      onLost: (error) => void this.lost.push(error),
    })
  }

  async open(patienceMs = START_MS, { migrations = MIGRATIONS, isBackedUp = false } = {}) {
    const options = { server: this.#server, clock: new FakeClock(), log: silentLog, patienceMs, isBackedUp }
    const epoch = await this.lease.led
    const onLost = (error: AppError) => void this.lost.push(error)
    return openServerDatabase({ ...options, epoch, onLost }, { collections: COLLECTIONS, migrations })
  }

  [Symbol.asyncDispose]() {
    return this.lease.release()
  }
}

describe.skipIf(postgresMissing !== undefined)('servers that share a database', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  }, START_MS)
  afterAll(() => server?.[Symbol.asyncDispose]())

  // PostgreSQL itself ends the wait, after 25 s.
  if (RUNS_WHOLE)
    test(
      'a stranger who keeps the lock of the preparation is named',
      async () => {
        const at = await createDeclared(server)
        const stranger = new SQL({
          url: `postgres://${at.user}@${at.host}:${at.port}/${at.database}`,
          ...{ max: 1, connection: { application_name: 'not svc' } },
        })
        const [{ pid } = { pid: 0 }] =
          await stranger`SELECT pg_backend_pid() AS pid, pg_advisory_lock(hashtext('svc preparation'))`
        await using north = new Contender(at, 'http://north')
        await expect(north.lease.led).rejects.toThrow(
          `(pid ${pid}, role ${at.user}, application not svc); end`,
        )
        await stranger.close()
      },
      START_MS,
    )

  test('the clock of the database is compared with that of the server that leads', async () => {
    await using north = new Contender(await createDeclared(server), 'http://north')
    const db = await north.open()
    const ahead = Date.now() - new FakeClock().now()
    expect(await db.shared?.clockDifferenceMs()).toBeWithin(ahead - START_MS, ahead + START_MS)
    await db.close()
  })

  test(
    'one of them leads; when it stops, the next one finds what it wrote',
    async () => {
      const at = await server.createDatabase()
      await using north = new Contender(at, 'http://north')
      const first = await north.open()
      expect(first.shared?.epoch).toBe(1)
      await using south = new Contender(at, 'http://south')
      await until('the second one to stand by', () => south.leaders.at(-1) === 'http://north')
      expect(await first.shared?.standbys()).toEqual(['http://south'])
      const waits: number[] = []
      first.shared?.onWait((ms) => waits.push(ms))
      const id = await first.write('test', (tx) => tx.insert(users, { email: 'ann@example.org' }).id)
      expect(waits.length).toBeGreaterThan(0)
      await first.close()
      await north.lease.release()
      const second = await south.open()
      expect(second.shared?.epoch).toBe(2)
      expect(await second.shared?.standbys()).toEqual([])
      expect(await second.read((tx) => tx.find(users, id))).toMatchObject({ email: 'ann@example.org' })
      await second.close()
      expect([...north.lost, ...south.lost]).toEqual([])
    },
    START_MS,
  )

  test(
    'of those that start at once, one leads',
    async () => {
      const at = await server.createDatabase()
      const all = Array.from({ length: 4 }, (_, n) => new Contender(at, `http://node${n}`))
      const first = await Promise.race(all.map(({ lease }, n) => lease.led.then(() => n)))
      const others = all.filter((_, n) => n !== first)
      await until('the others to stand by', () =>
        others.every(({ leaders }) => leaders.at(-1) === `http://node${first}`),
      )
      for (const each of [...others, ...all]) await each.lease.release()
    },
    START_MS,
  )

  test(
    'a leader whose lease has passed to another one writes nothing, not even in a transaction that has begun',
    async () => {
      const at = await createDeclared(server)
      await using north = new Contender(at, 'http://north')
      const db = await north.open()
      // As another server does that takes the lease, but leaves its sessions.
      await server.run('UPDATE leader SET epoch = epoch + 1', at)
      const write = db.write('test', (tx) => tx.post("INSERT INTO meta (key, value) VALUES ('late', '')"))
      await expect(write).rejects.toMatchObject({ reason: 'database_lost' })
      expect(await server.run("SELECT * FROM meta WHERE key = 'late'", at)).toEqual([])
      await until('both losses', () => north.lost.length === 2)
      await db.close()
    },
    START_MS,
  )

  test(
    'the sessions of a leader whose time is over are ended by the next one, which does not wait for their locks',
    async () => {
      const at = await createDeclared(server)
      const north = new Contender(at, 'http://north')
      await (await north.open()).close()
      await north.lease.release()
      // As of a leader that is frozen inside a transaction.
      const url = `postgres://${at.user}@${at.host}:${at.port}/${at.database}`
      await using frozen = new SQL({ url, max: 1 })
      const session = await frozen.reserve()
      await session.unsafe("SET application_name = 'svc leader 1'; SELECT pg_advisory_lock(hashtext('svc'))")
      await session.unsafe('BEGIN; SELECT svc_fence(1); LOCK TABLE users')
      await using south = new Contender(at, 'http://south')
      const db = await south.open()
      await db.write('test', (tx) => tx.insert(users, { email: 'bob@example.org' }))
      await expect(session.unsafe('COMMIT')).rejects.toThrow()
      await db.close()
    },
    START_MS,
  )

  test(
    'all sessions of a leader are ended by the next one, also those that only read',
    async () => {
      const at = await createDeclared(server)
      await using north = new Contender(at, 'http://north')
      const db = await north.open()
      const rows = db.readApart({ sql: 'SELECT pg_sleep(60)', params: {} }).catch(() => 'ended')
      await using south = new Contender(at, 'http://south')
      const sessions = "SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'svc % 1'"
      await until('a session for each purpose', async () => (await server.run(sessions, at)).length === 4)
      await until('the first one to be replaced', async () => {
        await server.run("UPDATE leader SET until = '-infinity' WHERE epoch = 1", at)
        return north.lost.length > 0
      })
      expect(await south.lease.led).toBe(2)
      expect(await server.run(sessions, at)).toEqual([])
      expect(await rows).toBe('ended')
      await db.close()
    },
    START_MS,
  )

  test(
    'what is read before the services run may take longer than what is read later',
    async () => {
      const at = await createDeclared(server)
      await using north = new Contender(at, 'http://north')
      const db = await north.open(500)
      const read = () =>
        db.write('read the order of jobs', (tx) => tx.all("SELECT pg_sleep(1), 'read' AS what"))
      expect(await read()).toMatchObject([{ what: 'read' }])
      db.shared?.limitWaits()
      await expect(read()).rejects.toMatchObject({ reason: 'database_lost' })
      await db.close()
    },
    START_MS,
  )

  test(
    'one that takes over does not wait for those who read the tables, such as pg_dump',
    async () => {
      const at = await createDeclared(server)
      const north = new Contender(at, 'http://north')
      await (await north.open()).close()
      await north.lease.release()
      const url = `postgres://${at.user}@${at.host}:${at.port}/${at.database}`
      await using dump = new SQL({ url, max: 1 })
      const session = await dump.reserve()
      const tables = await session.unsafe("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
      const names = tables.map(({ tablename }: { tablename: string }) => `"${tablename}"`)
      await session.unsafe(`BEGIN; LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`)
      await server.run(`ALTER DATABASE ${at.database} SET lock_timeout = '2s'`)
      await using south = new Contender(at, 'http://south')
      const db = await south.open()
      const triggers = "SELECT count(*)::int AS n FROM pg_trigger WHERE tgname LIKE 'count_%'"
      expect(await server.run(triggers, at)).not.toEqual([{ n: 0 }])
      await db.close()
      session.release()
    },
    START_MS,
  )

  test(
    'one that is older than a server has seen is led by none who knows, until the loss is accepted',
    async () => {
      const at = await createDeclared(server)
      const renewals = async () => (await server.run('SELECT renewals FROM leader', at))[0]?.['renewals']
      const dir = newFolder()
      const north = new Contender(at, 'http://north', { dir })
      const noted = () => JSON.parse(readFileSync(join(dir, 'postgres-note.json'), 'utf8')).database
      await (await north.open()).close()
      const south = new Contender(at, 'http://south')
      // As a replica that has not received what followed.
      const replica = await server.dumpAndRestore(at)
      const first = Number(await renewals())
      await until('further renewals', async () => Number(await renewals()) > first + 1)
      await north.lease.release()
      await south.lease.release()
      const lost = noted()
      await server.replace(at, replica)
      await using again = new Contender(at, 'http://north', { dir })
      await expect(again.lease.led).rejects.toMatchObject({
        reason: 'database_behind',
        message: expect.stringMatching(/from \d.*Z to \d.*Z may be lost.*svc doctor --accept-loss/),
      })
      expect(await server.run('SELECT epoch FROM leader', at)).toEqual([{ epoch: '1' }])
      const options = { server: at, clock: new FakeClock(), log: silentLog, patienceMs: START_MS }
      const db = await openServerDatabase(options)
      const accept = () => db.write('accept', (tx) => acceptStateLoss(tx, dir))
      expect(await accept()).toMatchObject({ detail: expect.stringContaining('older') })
      expect(await accept()).toBeUndefined()
      await db.close()
      await using accepted = new Contender(at, 'http://north', { dir })
      expect(await accepted.lease.led).toBe(2)
      await until('a note of the accepted database', () => noted() !== lost)
    },
    START_MS,
  )

  test(
    'one of a newer version changes the tables when it leads and a backup is confirmed; an older one then refuses',
    async () => {
      const at = await createDeclared(server)
      const migrations = [
        ...MIGRATIONS,
        { id: 9_999, name: 'later', statements: ['CREATE TABLE later (id bigint)'] },
      ]
      const later = () => server.run("SELECT to_regclass('later')::text AS name", at)
      const old = new Contender(at, 'http://old')
      const db = await old.open()
      await using hasty = new Contender(at, 'http://hasty')
      await until('the newer one to stand by', () => hasty.leaders.at(-1) === 'http://old')
      await db.write('test', (tx) => tx.insert(users, { email: 'ann@example.org' }))
      await db.close()
      await old.lease.release()
      await expect(hasty.open(START_MS, { migrations })).rejects.toMatchObject({ reason: 'backup_needed' })
      expect(await later()).toEqual([{ name: null }])
      await hasty.lease.release()
      await using newer = new Contender(at, 'http://newer')
      const migrated = await newer.open(START_MS, { migrations, isBackedUp: true })
      expect(await later()).toEqual([{ name: 'later' }])
      expect(await migrated.read((tx) => tx.list(users))).toMatchObject([{ email: 'ann@example.org' }])
      await migrated.close()
      await newer.lease.release()
      await using again = new Contender(at, 'http://old')
      await expect(again.open()).rejects.toMatchObject({ reason: 'database_newer' })
    },
    START_MS,
  )

  test(
    'one with another root CA, or with a database of another program, is refused',
    async () => {
      const at = await createDeclared(server)
      await using north = new Contender(at, 'http://north')
      await north.lease.led
      await using south = new Contender(at, 'http://south', { rootCa: 'bb' })
      await expect(south.lease.led).rejects.toMatchObject({ reason: 'root_ca_differs' })
      const foreign = await server.createDatabase()
      await server.run('CREATE TABLE orders (id bigint)', foreign)
      await using east = new Contender(foreign, 'http://east')
      await expect(east.lease.led).rejects.toMatchObject({ reason: 'database_foreign' })
      expect(await server.run("SELECT to_regclass('leader') AS leader", foreign)).toEqual([{ leader: null }])
      await using west = new Contender({ ...at, port: 1 }, 'http://west')
      await expect(west.lease.led).rejects.toMatchObject({ reason: 'database_unreachable' })
    },
    START_MS,
  )
})
