import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type AppError, silentLog, withLogFields, workFor } from '../../../src/base/index.ts'
import { apiTokens, type TokenScope } from '../../../src/db/collections/api_tokens.ts'
import { quantumJobs } from '../../../src/db/collections/quantum_jobs.ts'
import { users } from '../../../src/db/collections/users.ts'
import { COLLECTIONS } from '../../../src/db/collections.ts'
import { checkInvariants } from '../../../src/db/integrity/invariants.ts'
import { openServerDatabase } from '../../../src/db/postgres/open-database.ts'
import type { Tx } from '../../../src/db/records/tx.ts'
import { MIGRATIONS } from '../../../src/db/schema/migrations/index.ts'
import { RECORD_BYTES } from '../../../src/db/schema/stored-bytes.ts'
import { postLedger } from '../../../src/db/store/accounts/ledger.ts'
import { storedBytesOf } from '../../../src/db/store/accounts/stored-bytes.ts'
import { createDeclared } from '../../support/database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { postgresMissing, startServer, type TestServer } from '../../support/postgres/server.ts'
import { until } from '../../support/until.ts'

const START_MS = 60_000

if (postgresMissing) console.warn(`tests of PostgreSQL do not run: ${postgresMissing}`)

/** What `work` throws; an expectation would run other work in the middle of a transaction. */
function failureOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe.skipIf(postgresMissing !== undefined)('a database on PostgreSQL', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  }, START_MS)
  afterAll(() => server?.[Symbol.asyncDispose]())

  async function open(address = createDeclared(server), clock = new FakeClock()) {
    const lost: AppError[] = []
    const at = await address
    const options = { server: at, clock, log: silentLog, patienceMs: START_MS }
    const db = await openServerDatabase({ ...options, onLost: (error) => void lost.push(error) })
    return { db, at, lost, [Symbol.asyncDispose]: () => db.close() }
  }

  const ann = { email: 'ann@example.org' }

  test(
    'keeps what was written, and one process at a time writes',
    async () => {
      const { db, at } = await open(server.createDatabase())
      const id = await db.write('test', (tx) => tx.insert(users, ann).id)
      await expect(open(Promise.resolve(at))).rejects.toMatchObject({ reason: 'database_in_use' })
      await db.close()
      await using again = await open(Promise.resolve(at))
      const found = await again.db.read((tx) => tx.find(users, id))
      expect(found).toMatchObject(ann)
      expect(await again.db.readApart({ sql: 'SELECT count(*) AS n FROM users', params: {} })).toEqual([
        { n: 1 },
      ])
      const selection = {
        ids: { sql: 'SELECT id FROM users', params: {}, perPage: 10, offset: 0 },
        count: { sql: 'SELECT count(*) AS n FROM users', params: {} },
      }
      const reading = { caller: 'ann', kind: 'user' } as const
      expect(await again.db.select(selection, reading)).toMatchObject({ ids: [id], total: 1 })
    },
    START_MS,
  )

  test(
    'an intent that fails leaves nothing, also by a posted statement, and the others of its group stay',
    async () => {
      await using base = await open()
      const insert = "INSERT INTO meta (key, value) VALUES ($key, 'x')"
      let attempted: unknown
      const writes = [
        base.db.write('first', (tx) => tx.post(insert, { key: 'a' })),
        base.db.write('second', (tx) => {
          tx.post(insert, { key: 'b' })
          tx.post(insert, { key: 'b' })
        }),
        base.db.write('third', (tx) => {
          attempted = failureOf(() => tx.attempt(insert, { key: 'a' }))
          tx.post(insert, { key: 'c' })
        }),
      ]
      const outcomes = await Promise.allSettled(writes)
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(attempted).toMatchObject({ kind: 'unique', columns: ['meta.key'] })
      const rows = await base.db.read((tx) =>
        tx.all<{ key: string }>("SELECT key FROM meta WHERE value = 'x' ORDER BY key"),
      )
      expect(rows.map(({ key }) => key)).toEqual(['a', 'c'])
    },
    START_MS,
  )

  test(
    'transactions that meet share the event loop: a group ends after a time, in their order',
    async () => {
      const slow = new FakeClock(0, 2)
      await using base = await open(undefined, slow)
      const seen: string[] = []
      const insert = "INSERT INTO meta (key, value) VALUES ($key, 'x')"
      const all = Array.from({ length: 20 }, (_, key) =>
        base.db
          .write('one', (tx) => {
            seen.push(`run ${key}`)
            tx.post(insert, { key: `k${key}` })
          })
          .then(() => seen.push(`end ${key}`)),
      )
      const reads = Array.from({ length: 20 }, () => base.db.read((tx) => seen.push(`read ${tx.now}`)))
      await Promise.all([...all, ...reads])
      expect(seen.filter((each) => each.startsWith('run'))).toEqual(all.map((_, key) => `run ${key}`))
      expect(seen.indexOf('end 0')).toBeLessThan(seen.indexOf('run 19'))
      expect(seen.findIndex((each) => each.startsWith('read'))).toBeGreaterThan(seen.indexOf('end 0'))
      expect(await base.db.read((tx) => tx.one("SELECT count(*) AS n FROM meta WHERE value = 'x'"))).toEqual({
        n: 20,
      })
    },
    START_MS,
  )

  test(
    'reads of one caller do not wait for all those of another',
    async () => {
      await using base = await open(undefined, new FakeClock(0, 4))
      const ended: string[] = []
      const read = (caller: string) =>
        withLogFields({}, () => {
          workFor(caller)
          return base.db.read((tx) => tx.one('SELECT 1 AS one')).then(() => void ended.push(caller))
        })
      await Promise.all([...Array.from({ length: 100 }, () => read('ada')), read('bob')])
      expect(ended.indexOf('bob')).toBeLessThan(20)
    },
    START_MS,
  )

  test(
    'what waits for a client that has left is not begun',
    async () => {
      await using base = await open(undefined, new FakeClock(0, 4))
      const client = new AbortController()
      const ended: string[] = []
      const work = (name: string) =>
        withLogFields({}, async () => {
          workFor('ada', client)
          const insert = 'INSERT INTO meta (key, value) VALUES ($name, $name)'
          await base.db.write('note', (tx) => tx.post(insert, { name }))
          ended.push(name)
        })
      const all = Array.from({ length: 50 }, (_, at) => work(`left ${at}`))
      await all[0]
      client.abort()
      const settled = await Promise.allSettled(all)
      expect(settled.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
      const rows = await base.db.read((tx) => tx.all("SELECT key FROM meta WHERE key LIKE 'left %'"))
      expect(rows).toHaveLength(ended.length)
    },
    START_MS,
  )

  test(
    'a commit that the server refuses is an error, not a success',
    async () => {
      await using base = await open()
      const caught = base.db.write('test', (tx) => {
        tx.post("INSERT INTO meta (key, value) VALUES ('lost', '')")
        failureOf(() => tx.run('SELECT 1 / 0'))
      })
      await expect(caught).rejects.toThrow('division by zero')
      expect(await base.db.read((tx) => tx.all("SELECT * FROM meta WHERE key = 'lost'"))).toEqual([])
      const broken = base.db.write('test', (tx) => {
        tx.run(tx.dialect.deferReferences)
        tx.post("INSERT INTO unfit_jobs (qpu, job_seq, reason) VALUES ('q', 77, '')")
      })
      await expect(broken).rejects.toThrow('foreign key')
      expect(await base.db.read((tx) => tx.all('SELECT * FROM unfit_jobs'))).toEqual([])
    },
    START_MS,
  )

  test(
    'numbers with a fraction have the text that SQLite gives them, also in JSON',
    async () => {
      await using base = await open()
      using sqlite = new Sqlite(':memory:')
      const { text, jsonTyped } = base.db.dialect
      for (const value of [0.5, -2.25, 123456.789, 1e-7, 0.0001, 1.5e-300, 1e21, 2 ** 54, 4.5e15]) {
        const json = JSON.stringify({ a: value }).replace(
          /(\d)}/,
          Number.isInteger(value) && value < 1e21 ? '$1.0}' : '$1}',
        )
        const found = await base.db.read((tx) =>
          tx.one(
            `SELECT ${text(jsonTyped('$json', "'$.a'"))} AS json, ${text(tx.dialect.real('$value'))} AS number`,
            { json, value },
          ),
        )
        const expected = sqlite
          .query(
            `SELECT CAST(json_extract(?1, '$.a') AS TEXT) AS json, CAST(CAST(?2 AS REAL) AS TEXT) AS number`,
          )
          .get(json, value)
        expect({ json, ...Object(found) }).toEqual({ json, ...Object(expected) })
      }
    },
    START_MS,
  )

  test(
    'a session that ends is a loss, after which nothing is written',
    async () => {
      const { db, lost } = await open()
      await server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test_%' AND application_name = 'svc'",
      )
      await until('the loss to be noticed', () => lost.length === 1)
      const write = db.write('test', (tx) => tx.run("DELETE FROM meta WHERE key = ''"))
      await expect(write).rejects.toMatchObject({ code: 'unavailable', reason: 'database_lost' })
      await db.close()
    },
    START_MS,
  )

  test(
    'a database of another program, or one that sorts texts otherwise, is refused',
    async () => {
      const foreign = await server.createDatabase()
      await server.run('CREATE TABLE orders (id bigint)', foreign)
      await expect(open(Promise.resolve(foreign))).rejects.toMatchObject({ reason: 'database_foreign' })
      await server.run(
        `CREATE DATABASE other ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8' TEMPLATE template0`,
      )
      await expect(open(Promise.resolve(server.address('other')))).rejects.toMatchObject({
        reason: 'database_unsupported',
      })
      await expect(open(Promise.resolve(server.address('missing')))).rejects.toMatchObject({
        reason: 'database_missing',
      })
      const closed = { ...foreign, port: 1 }
      await expect(open(Promise.resolve(closed))).rejects.toMatchObject({ reason: 'database_unreachable' })
    },
    START_MS,
  )

  test(
    'a migration may change jobs; what counts them is there again after it, and after one that fails',
    async () => {
      const first = await open()
      const submit = (tx: Tx, user_id: string) => {
        const { id } = tx.insert(quantumJobs, { user_id, payload: { program: 'old' } })
        tx.run(`UPDATE quantum_jobs SET history = '["","submitted",0,""]' WHERE id = $id`, { id })
        return id
      }
      const { user, job } = await first.db.write('submit', (tx) => {
        const { id } = tx.insert(users, ann)
        return { user: id, job: submit(tx, id) }
      })
      await first.db.close()
      const migrate = async (statements: readonly string[]) => {
        const migration = { id: MIGRATIONS.length + 1, name: 'renamed-programs', statements }
        const options = { server: first.at, clock: new FakeClock(), log: silentLog, patienceMs: START_MS }
        const schema = { collections: COLLECTIONS, migrations: [...MIGRATIONS, migration] }
        return openServerDatabase({ ...options, isBackedUp: true }, schema)
      }
      const rename = "UPDATE quantum_jobs SET payload = replace(payload, 'old', 'new')"
      await expect(migrate([rename, 'INSERT INTO nowhere VALUES (1)'])).rejects.toThrow('nowhere')
      const opened = [() => open(Promise.resolve(first.at)).then(({ db }) => db), () => migrate([rename])]
      for (const [at, openAgain] of opened.entries()) {
        const db = await openAgain()
        expect(await db.read((tx) => tx.find(quantumJobs, job)?.payload)).toEqual({
          program: at === 0 ? 'old' : 'new',
        })
        await db.write('submit', (tx) => submit(tx, user))
        await db.write('shorten', (tx) => tx.update(quantumJobs, job, { payload: { program: 'old' } }))
        await db.write('lengthen', (tx) => tx.update(quantumJobs, job, { payload: { program: 'older' } }))
        expect(await db.read((tx) => checkInvariants(tx))).toEqual([])
        await db.write('again', (tx) => tx.update(quantumJobs, job, { payload: { program: 'old' } }))
        await db.close()
      }
    },
    START_MS,
  )

  test(
    'a migration changes what a column accepts, and keeps its values',
    async () => {
      const first = await open()
      const user = await first.db.write('add', (tx) => tx.insert(users, ann).id)
      const add = (scope: TokenScope) => (tx: Tx) => tx.insert(apiTokens, { user, token: scope, scope }).id
      const kept = await first.db.write('add', add('submit'))
      await first.db.close()
      for (const sql of [
        'ALTER TABLE api_tokens DROP CONSTRAINT api_tokens_scope_check',
        "ALTER TABLE api_tokens ADD CHECK (scope IN ('read', 'submit', 'all'))",
        "UPDATE schema_objects SET sql = replace(sql, ', ''operate'', ''session''', '') WHERE name = 'api_tokens'",
        "DELETE FROM migrations WHERE name IN ('operate-tokens', 'session-tokens')",
      ])
        await server.run(sql, first.at)
      const options = { server: first.at, clock: new FakeClock(), log: silentLog, patienceMs: START_MS }
      const db = await openServerDatabase({ ...options, isBackedUp: true })
      expect(await db.read((tx) => tx.find(apiTokens, kept)?.scope)).toBe('submit')
      await db.write('add', add('operate'))
      const wrong = db.write('wrong', (tx) => tx.run("UPDATE api_tokens SET scope = 'any'"))
      await expect(wrong).rejects.toThrow('api_tokens_scope_check')
      await db.close()
    },
    START_MS,
  )

  test(
    'migrations drop tables and a key, and bytes and positions stay',
    async () => {
      const first = await open()
      const user = await first.db.write('add', (tx) => {
        const { id } = tx.insert(users, { ...ann, qpu_seconds: 5 })
        tx.insert(quantumJobs, { user_id: id, payload: { program: 'x' } })
        postLedger(tx, { user: id, kind: 'admin', sourceId: 'b', deltaMs: 1 })
        return id
      })
      await first.db.close()
      const object = "INSERT INTO schema_objects (kind, name, part, sql) VALUES ('table',"
      for (const sql of [
        'DROP TABLE calibration_bounds',
        'CREATE TABLE calibration_bounds (qpu text NOT NULL PRIMARY KEY)',
        "UPDATE schema_objects SET sql = 'another' WHERE name = 'calibration_bounds'",
        'CREATE TABLE user_bytes ("user" text NOT NULL PRIMARY KEY, bytes bigint NOT NULL)',
        `${object} 'user_bytes', 0, '"user" TEXT NOT NULL PRIMARY KEY'), ('table', 'user_bytes', 1, '"bytes" INTEGER NOT NULL')`,
        'INSERT INTO user_bytes SELECT id, job_bytes FROM users',
        'ALTER TABLE users DROP COLUMN job_bytes',
        "DELETE FROM schema_objects WHERE name = 'users' AND sql LIKE '%job_bytes%'",
        "ALTER TABLE qpu_ledger ADD COLUMN id text NOT NULL DEFAULT ''",
        'UPDATE qpu_ledger SET id = source_id',
        'ALTER TABLE qpu_ledger ADD PRIMARY KEY (id)',
        `${object} 'qpu_ledger', 99, '"id" TEXT NOT NULL PRIMARY KEY')`,
        'DELETE FROM migrations WHERE id > 15',
      ])
        await server.run(sql, first.at)
      const options = { server: first.at, clock: new FakeClock(), log: silentLog, patienceMs: START_MS }
      const db = await openServerDatabase({ ...options, isBackedUp: true })
      await db.read((tx) => {
        expect(checkInvariants(tx).filter(({ id }) => id === 'I11')).toEqual([])
        expect(tx.read(storedBytesOf(user))).toBe(RECORD_BYTES + '{"program":"x"}'.length)
        expect(tx.all('SELECT * FROM qpu_ledger ORDER BY rowid')).toMatchObject([
          { rowid: 1, kind: 'opening', source_id: user },
          { rowid: 2, kind: 'admin', source_id: 'b' },
        ])
        const columns = `SELECT count(*)::int AS n FROM information_schema.columns
          WHERE (table_name, column_name) IN (('user_bytes', 'bytes'), ('qpu_ledger', 'id'), ('calibration_bounds', 'report'))`
        expect(tx.all(columns)).toEqual([{ n: 1 }])
      })
      await db.close()
      await using again = await open(Promise.resolve(first.at))
      await again.db.write('add', (tx) => postLedger(tx, { user, kind: 'admin', sourceId: 'c', deltaMs: 1 }))
    },
    START_MS,
  )
})
