import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ReaderPool, type Reading } from '../../../src/db/readers/reader-pool.ts'
import type { Selection } from '../../../src/db/readers/selection.ts'
import { openTestDatabase } from '../../support/database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'

const count = (most: number): Selection => ({
  count: {
    sql: 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $most) SELECT count(*) AS n FROM n',
    params: { most },
  },
})
const ENDLESS = count(Number.MAX_SAFE_INTEGER)
const NOTE: Selection = {
  count: { sql: "SELECT CAST(value AS INTEGER) AS n FROM meta WHERE key = 'note'", params: {} },
}
const ann: Reading = { caller: 'ann', kind: 'user' }
const bob: Reading = { caller: 'bob', kind: 'user' }
const root: Reading = { caller: 'root', kind: 'superuser' }

/** A pool on the file of a database that is open for writing. */
async function openPool() {
  const base = await openTestDatabase()
  const clock = new FakeClock()
  const limits = { readers: 2, timeoutMs: 2_000, superuserTimeoutMs: 30_000 }
  const pool = new ReaderPool(join(base.dir, 'svc.db'), clock, limits)
  return {
    ...{ pool, clock, db: base.db },
    async [Symbol.asyncDispose]() {
      pool.close()
      await base[Symbol.asyncDispose]()
    },
  }
}

const settled = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('ReaderPool', () => {
  test('reads what was committed before the call', async () => {
    await using it = await openPool()
    for (const value of [1, 2]) {
      await it.db.write('note', (tx) =>
        tx.run("INSERT INTO meta VALUES ('note', $value) ON CONFLICT DO UPDATE SET value = $value", {
          value,
        }),
      )
      expect(await it.pool.read(NOTE, ann)).toEqual({ ids: [], rows: [], total: value })
    }
    expect(it.pool.pids).toHaveLength(1)
  })

  test('stops a read after the time limit of its caller, names the remedy, and serves the next one', async () => {
    await using it = await openPool()
    const [ofUser, ofRoot] = [settled(it.pool.read(ENDLESS, ann)), settled(it.pool.read(ENDLESS, root))]
    const pids = it.pool.pids
    await it.clock.advance(1_999)
    expect(it.pool.pids).toEqual(pids)
    await it.clock.advance(1)
    // Only the read of the superuser runs on.
    expect(it.pool.pids).toHaveLength(1)
    expect(await ofUser).toMatchObject({ code: 'invalid', reason: 'filter_too_costly' })
    expect(String(await ofUser)).toMatch(/narrow it .* by id, by a time/)
    expect(await it.pool.read(count(5), ann)).toMatchObject({ total: 5 })
    await it.clock.advance(28_000)
    expect(await ofRoot).toMatchObject({ reason: 'filter_too_costly' })
    await until('the process has ended', () => !pids.some(isAlive))
  })

  test('stops a read when its client has gone, whether it runs or waits', async () => {
    await using it = await openPool()
    const clients = [new AbortController(), new AbortController()]
    const reads = clients.map(({ signal }) => settled(it.pool.read(ENDLESS, { ...ann, signal })))
    const [pid = 0] = it.pool.pids
    for (const client of clients.toReversed()) client.abort()
    for (const read of reads) expect(await read).toMatchObject({ code: 'unavailable' })
    await until('the process has ended', () => !isAlive(pid))
    expect(await it.pool.read(count(3), ann)).toMatchObject({ total: 3 })
    const late = it.pool.read(count(3), { ...ann, signal: AbortSignal.abort() })
    expect(await settled(late)).toMatchObject({ code: 'unavailable' })
  })

  test('runs one read of a caller at a time, beside those of others', async () => {
    await using it = await openPool()
    const first = settled(it.pool.read(ENDLESS, ann))
    const second = it.pool.read(count(2), ann)
    let isSecondOver = false
    void second.then(() => {
      isSecondOver = true
    })
    expect(await it.pool.read(count(4), bob)).toMatchObject({ total: 4 })
    expect(isSecondOver).toBe(false)
    const pids = it.pool.pids
    await it.clock.advance(2_000)
    expect(it.pool.pids).not.toEqual(pids)
    expect(await first).toMatchObject({ reason: 'filter_too_costly' })
    expect(await second).toMatchObject({ total: 2 })
  })

  test('cannot write, and continues after a statement that cannot run', async () => {
    await using it = await openPool()
    const wrong = it.pool.read({ count: { sql: 'SELECT absent', params: {} } }, ann)
    expect(await settled(wrong)).toMatchObject({ code: 'invalid', reason: 'bad_filter' })
    const written = it.pool.read({ count: { sql: "INSERT INTO meta VALUES ('a', 'b')", params: {} } }, ann)
    expect(await settled(written)).toMatchObject({ code: 'storage_full', reason: 'storage_read_only' })
    expect(await it.pool.read(count(1), ann)).toMatchObject({ total: 1 })
  })

  test('starts another process after one was killed', async () => {
    await using it = await openPool()
    const read = settled(it.pool.read(ENDLESS, ann))
    const [pid = 0] = it.pool.pids
    process.kill(pid, 'SIGKILL')
    expect(await read).toMatchObject({ code: 'unavailable', reason: 'reader_failed' })
    expect(await it.pool.read(count(6), ann)).toMatchObject({ total: 6 })
  })

  test('ends idle processes, and all of them when it is closed', async () => {
    await using it = await openPool()
    await it.pool.read(count(1), ann)
    const [idle = 0] = it.pool.pids
    await it.clock.advance(30_000)
    expect(it.pool.pids).toEqual([])
    await until('the process has ended', () => !isAlive(idle))
    const reads = [ann, ann].map((reading) => settled(it.pool.read(ENDLESS, reading)))
    const [running = 0] = it.pool.pids
    it.pool.close()
    for (const read of reads) expect(await read).toMatchObject({ code: 'unavailable' })
    await until('the process has ended', () => !isAlive(running))
    expect(await settled(it.pool.read(count(1), ann))).toMatchObject({ code: 'unavailable' })
  })

  test('its processes end with the server, even in the middle of a statement', async () => {
    await using base = await openTestDatabase()
    const parent = Bun.spawn(
      [process.execPath, `${import.meta.dir}/server.child.ts`, join(base.dir, 'svc.db')],
      { stdout: 'pipe', stderr: 'inherit' },
    )
    const { value } = await parent.stdout.getReader().read()
    const pid = Number(new TextDecoder().decode(value))
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await until('the process has ended', () => !isAlive(pid))
  })
})
