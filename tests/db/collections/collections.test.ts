import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { COLLECTIONS, openDatabase } from '../../../src/db/index.ts'
import { hashOf } from '../../../src/db/schema/migrate.ts'
import { MIGRATIONS } from '../../../src/db/schema/migrations/index.ts'
import { openTestDatabase } from '../../support/database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const GOLDEN = `${import.meta.dir}/../../golden/schema.sql`
const BEFORE = `${import.meta.dir}/../../golden/schema-before.sql`

/** The first line and each table of a schema in a line: indexes and triggers follow when it opens. */
function tablesOf(schema: string): string {
  const [head = '', ...statements] = schema.split(/\n(?=CREATE )/)
  const tables = statements.filter((sql) => sql.startsWith('CREATE TABLE'))
  return [head, ...tables.map((sql) => sql.trim().replaceAll(/\n */g, ' ')), ''].join('\n')
}

const LAST = MIGRATIONS.at(-1)?.id ?? 0

/** UPDATE_GOLDEN=1 rewrites the file after an intended change, and keeps the one of HEAD. */
test.skipIf(onlySqlite('its schema'))(
  'the schema is the one on record in tests/golden/schema.sql',
  async () => {
    await using test = await openTestDatabase()
    const rows = await test.db.read((tx) =>
      tx.all<{ sql: string }>(
        `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
       ORDER BY tbl_name, type DESC, name`,
      ),
    )
    const schema = `-- after migration ${LAST}\n${rows.map((row) => `${row.sql};`).join('\n')}\n`
    if (process.env['UPDATE_GOLDEN'] === '1' && schema !== (await Bun.file(GOLDEN).text())) {
      const { stdout } = Bun.spawnSync(['git', 'show', 'HEAD:./schema.sql'], { cwd: dirname(GOLDEN) })
      await Bun.write(BEFORE, tablesOf(stdout.toString()))
      await Bun.write(GOLDEN, schema)
    }
    expect(schema).toBe(await Bun.file(GOLDEN).text())
  },
)

test.skipIf(onlySqlite('its file'))('a database with the schema before the last change opens', async () => {
  using folder = temporaryFolder()
  const [head = '', ...tables] = (await Bun.file(BEFORE).text()).trim().split('\n')
  const last = Number(head.replace('-- after migration ', ''))
  expect(last).toBeWithin(1, LAST + 1)
  const old = new Sqlite(join(folder.path, 'svc.db'))
  for (const sql of tables) old.run(sql)
  for (const migration of MIGRATIONS.filter(({ id }) => id <= last)) {
    const row = [migration.id, migration.name, hashOf(migration), '']
    old.run('INSERT INTO migrations VALUES (?, ?, ?, ?)', row)
  }
  old.close()
  // A CHECK that differs without a migration is refused here.
  await (await openDatabase({ dir: folder.path, clock: new FakeClock(), log: silentLog })).close()
})

test('every collection is one file in src/db/collections or a folder of it, named as its table', () => {
  const files = readdirSync(`${import.meta.dir}/../../../src/db/collections`, { recursive: true })
  const names = files.flatMap((file) => (String(file).endsWith('.ts') ? [basename(String(file), '.ts')] : []))
  expect(COLLECTIONS.map((collection) => collection.name) as string[]).toEqual(names.sort())
})

test('the database itself rejects what the declarations forbid', async () => {
  await using test = await openTestDatabase()
  const run = (sql: string) => test.db.write('raw', (tx) => tx.run(sql))
  const values = "'aaaaaaaaaaaaaaa', 'north', '', ''"
  await run(`INSERT INTO qpus (id, name, created, updated) VALUES (${values})`)
  await expect(run("UPDATE qpus SET status = 'asleep'")).rejects.toThrow(/check constraint/i)
  await expect(run('UPDATE qpus SET enabled = 2')).rejects.toThrow(/check constraint/i)
  await expect(run("UPDATE qpus SET num_qubits = 'many'")).rejects.toThrow(
    /cannot store TEXT|invalid input syntax/,
  )
  await expect(run('UPDATE qpus SET name = NULL')).rejects.toThrow(/not[ -]null/i)
  await run(
    "INSERT INTO drivers (id, name, qpu, operation, token, created, updated) VALUES ('d', 'd', 'aaaaaaaaaaaaaaa', 'process', 't', '', '')",
  )
  await expect(run('DELETE FROM qpus')).rejects.toThrow(/foreign key/i)
})

test('unique indexes ensure one running job per QPU, one charge per job, one lease per QPU and operation', async () => {
  await using test = await openTestDatabase()
  const run = (sql: string) => test.db.write('raw', (tx) => tx.run(sql))
  const job = (id: string, qpu: string) =>
    run(
      `INSERT INTO quantum_jobs (id, status, attempt, qpu, created, updated)
       VALUES ('${id}', 'running', 1, '${qpu}', '', '')`,
    )
  await job('a', 'north')
  await job('b', 'south')
  await expect(job('c', 'north')).rejects.toThrow(/unique/i)
  const charge = (user: string) =>
    run(
      `INSERT INTO qpu_ledger ("user", kind, source_id, delta_ms, at) VALUES ('${user}', 'charge', 'a', -1, '')`,
    )
  await charge('one')
  await expect(charge('two')).rejects.toThrow(/unique/i)
  const lease = (driver: string) =>
    run(`INSERT INTO leases (qpu, operation, driver) VALUES ('north', 'process', '${driver}')`)
  await lease('one')
  await expect(lease('two')).rejects.toThrow(/unique/i)
})

test.skipIf(onlySqlite('its plans'))('searches by a unique value use its index', async () => {
  await using test = await openTestDatabase()
  const plans = await test.db.read((tx) =>
    [
      "SELECT id FROM users WHERE email = $value AND email <> ''",
      "SELECT id FROM users WHERE username = $value AND username <> ''",
      'SELECT id FROM drivers WHERE token = $value',
      'SELECT id FROM api_tokens WHERE token = $value',
      'SELECT id FROM qpus WHERE name = $value',
      'SELECT id FROM events WHERE type = $value AND ts > $value',
    ].map((sql) => tx.explain(sql, { value: 'x' })[0] ?? ''),
  )
  expect(plans.filter((plan) => !/^SEARCH .* USING (COVERING )?INDEX/.test(plan))).toEqual([])
})

test.skipIf(onlySqlite('its plans'))('the newest records are found without sorting the others', async () => {
  await using test = await openTestDatabase()
  const sorted = [
    'quantum_jobs ORDER BY created DESC, seq',
    "quantum_jobs WHERE user_id = 'a' ORDER BY created DESC, seq",
    "quantum_jobs WHERE user_id = 'a' AND status = 'completed' ORDER BY created DESC, seq",
    "quantum_jobs WHERE user_id = 'a' ORDER BY seq DESC",
    'events ORDER BY created DESC, seq',
    'events ORDER BY ts DESC, seq',
    "events WHERE type = 'a' ORDER BY ts DESC, seq",
    "events WHERE ts < 'a' ORDER BY ts DESC, seq",
  ]
  const plans = await test.db.read((tx) =>
    sorted.map((each) => ({
      each,
      steps: tx.explain(`SELECT id FROM ${each} LIMIT 30`),
    })),
  )
  // Sorting by the last term applies only to records with the same time.
  const slow = plans.filter(
    ({ steps }) =>
      !/USING .*INDEX/.test(steps[0] ?? '') || steps.some((step) => step.endsWith('FOR ORDER BY')),
  )
  expect(slow).toEqual([])
})
