import { expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../../src/base/index.ts'
import { type Database, openDatabase } from '../../../../src/db/index.ts'
import { openConnection } from '../../../../src/db/sqlite/connection.ts'
import { openOnDisk, type TestDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'
import { part, rows } from '../../../support/whole.ts'

const logBytes = ({ dir }: { dir: string }) => statSync(join(dir, 'svc.db-wal')).size
/** Identifies the log: SQLite changes it when it starts the log again. */
const saltOf = ({ dir }: { dir: string }) =>
  readFileSync(join(dir, 'svc.db-wal')).subarray(16, 24).toString('hex')

let keys = 0
/** Adds about 400 KB, a tenth of what begins a checkpoint. */
const add = ({ db }: { db: Database }, bytes = 200_000) =>
  db.write('add', (tx) =>
    tx.run('INSERT INTO meta (key, value) SELECT $key, hex(zeroblob($bytes))', { key: `k${keys++}`, bytes }),
  )

async function addMany(test: TestDatabase, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await add(test)
}

test('the log starts again and again while writes go on without a break', async () => {
  await using test = await openOnDisk()
  const salts = new Set<string>()
  // Of 2 GB of writes a tenth is enough, unless the thread that copies them hardly runs.
  for (let n = 0; n < 5_000 && salts.size < 5; n += 1) {
    await add(test)
    salts.add(saltOf(test))
  }
  expect(salts.size).toBe(5)
})

test('a reader of an older state keeps the log; it starts again after the reader has ended', async () => {
  await using test = await openOnDisk()
  const reader = openConnection(join(test.dir, 'svc.db'), 'read')
  reader.run('BEGIN')
  reader.one('SELECT count(*) FROM meta')
  await addMany(test, 60)
  expect(logBytes(test)).toBeGreaterThan(24_000_000)
  const salt = saltOf(test)
  reader.run('COMMIT')
  reader.close()
  await until('the log to start again', async () => {
    await add(test)
    return saltOf(test) !== salt
  })
})

test('a large commit is read only when it is on disk, and the mark follows it', async () => {
  await using test = await openOnDisk()
  const mark = () => readFileSync(join(test.dir, 'svc.db-mark')).toString('hex')
  const before = mark()
  let markAtRead = ''
  const written = add(test, 4_000_000)
  // The commit is made in this turn, its flush lasts longer.
  await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
  const read = test.db
    .read(() => 1)
    .then(() => {
      markAtRead = mark()
    })
  await Promise.all([written, read])
  expect(mark()).not.toBe(before)
  expect(markAtRead).toBe(mark())
})

test('reads that waited for one flush go on in many turns', async () => {
  await using test = await openOnDisk()
  let turn = 0
  const count = () => {
    turn += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const written = add(test, 4_000_000)
  await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
  const seen = new Set<number>()
  const read = async () => {
    await test.db.read(() => 1)
    seen.add(turn)
    await test.clock.advance(10)
  }
  await Promise.all([written, ...Array.from({ length: 8 }, read)])
  clearImmediate(counting)
  expect(seen.size).toBeGreaterThanOrEqual(5)
})

test('a close during a checkpoint waits for it, and leaves everything in the database', async () => {
  using folder = temporaryFolder()
  const opened = async () => openDatabase({ dir: folder.path, clock: systemClock, log: silentLog })
  for (let round = 0; round < part(5, 2); round += 1) {
    const db = await opened()
    const written = [add({ db }, 3_000_000), add({ db }, 3_000_000)]
    if (round % 2 === 0) await Promise.all(written)
    const closed = db.close()
    await Promise.all(written)
    await closed
    expect(existsSync(join(folder.path, 'svc.db-wal'))).toBe(false)
    expect(existsSync(join(folder.path, 'svc.db-mark'))).toBe(false)
    const again = await opened()
    const row = await again.read((tx) =>
      tx.one<{ n: number }>(
        "SELECT count(*) AS n FROM meta WHERE key LIKE 'k%' AND length(value) = 6000000",
        {},
      ),
    )
    expect(row?.n).toBe(2 * (round + 1))
    await again.close()
  }
})

test('with a replicator, nothing is copied into the database', async () => {
  await using test = await openOnDisk({ checkpoints: 'external' })
  const bytes = () => statSync(join(test.dir, 'svc.db')).size
  const [salt, before] = [saltOf(test), bytes()]
  await addMany(test, 40)
  await test.db.files?.trimLog()
  expect([saltOf(test), bytes()]).toEqual([salt, before])
  expect(logBytes(test)).toBeGreaterThan(16_000_000)
})

/** Runs the writer in `dir` until it is killed, by `failpoint` or after `ms`; what it acknowledged. */
async function killed(
  dir: string,
  { prefix, failpoint, ms }: { prefix: string; failpoint?: string; ms?: number },
) {
  const child = Bun.spawn(
    [
      ...[process.execPath, '--feature=FAILPOINTS', `${import.meta.dir}/checkpoints.child.ts`],
      ...[dir, prefix, ...(failpoint === undefined ? [] : [failpoint])],
    ],
    { stdout: 'pipe', stderr: failpoint === undefined ? 'inherit' : 'ignore' },
  )
  const decoder = new TextDecoder()
  let replies = ''
  for await (const chunk of child.stdout) {
    if (replies === '' && ms !== undefined) setTimeout(() => child.kill('SIGKILL'), ms)
    replies += decoder.decode(chunk, { stream: true })
  }
  await child.exited
  expect(child.signalCode).toBe('SIGKILL')
  return replies.split('\n').slice(0, -1)
}

async function missing(dir: string, acknowledged: readonly string[]): Promise<string[]> {
  // Refuses a log that is shorter than its mark.
  const db = await openDatabase({ dir, clock: systemClock, log: silentLog })
  const find = 'SELECT 1 FROM meta WHERE key = $key AND length(value) = 800000'
  const lost = await db.read((tx) => acknowledged.filter((key) => !tx.one(find, { key })))
  await db.close()
  return lost
}

const KILLED_AT = ['begun:1', 'sent:1', 'paused:1', 'ended:1', 'sent:3', 'ended:2']

test.each(rows(KILLED_AT, 4))(
  'killed at checkpoint.%s, nothing that was acknowledged is lost',
  async (step) => {
    using folder = temporaryFolder()
    const failpoint = `checkpoint.${step}:kill`
    const acknowledged = await killed(folder.path, { prefix: 'k', failpoint })
    expect(acknowledged.length).toBeGreaterThan(3)
    expect(await missing(folder.path, acknowledged)).toEqual([])
  },
  60_000,
)

test('killed at any time during checkpoints, nothing that was acknowledged is lost', async () => {
  using folder = temporaryFolder()
  const acknowledged: string[] = []
  for (let round = 0; round < part(12, 2); round += 1) {
    acknowledged.push(...(await killed(folder.path, { prefix: `k${round}`, ms: 20 + round * part(7, 21) })))
    expect(await missing(folder.path, acknowledged)).toEqual([])
  }
}, 60_000)
