import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { systemClock } from '../../../src/base/index.ts'
import type { Reading } from '../../../src/db/engine/reading.ts'
import type { Selection } from '../../../src/db/engine/selection.ts'
import { ReaderPool } from '../../../src/db/readers/reader-pool.ts'
import { openTestDatabase } from '../../support/database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
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
  /** Processor time of every reader, in ms. */
  const processor = { usedMs: 0 }
  const pool = new ReaderPool({ file: join(base.dir, 'svc.db') }, clock, {
    limits,
    processorMs: () => processor.usedMs,
  })
  return {
    ...{ pool, clock, db: base.db },
    /** Lets the readers use as much processor time as passes, or a part of it. */
    async run(ms: number, share = 1) {
      processor.usedMs += ms * share
      await clock.advance(ms)
    },
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

describe.skipIf(onlySqlite('its file'))('ReaderPool', () => {
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

  test('stops a read after the processor time of its caller, names the remedy, and serves the next one', async () => {
    await using it = await openPool()
    const [ofUser, ofRoot] = [settled(it.pool.read(ENDLESS, ann)), settled(it.pool.read(ENDLESS, root))]
    const pids = it.pool.pids
    await it.run(1_999)
    expect(it.pool.pids).toEqual(pids)
    await it.run(50)
    // Only the read of the superuser runs on.
    expect(it.pool.pids).toHaveLength(1)
    expect(await ofUser).toMatchObject({ code: 'invalid', reason: 'filter_too_costly' })
    expect(String(await ofUser)).toMatch(/narrow it .* by id, by a time/)
    expect(await it.pool.read(count(5), ann)).toMatchObject({ total: 5 })
    await it.run(28_000)
    expect(await ofRoot).toMatchObject({ reason: 'filter_too_costly' })
    await until('the process has ended', () => !pids.some(isAlive))
  })

  test('does not count the time in which other programs use the processor, and then asks to try again', async () => {
    await using it = await openPool()
    const [running, waiting] = [settled(it.pool.read(ENDLESS, ann)), settled(it.pool.read(count(2), ann))]
    await it.run(29_000, 0.05)
    expect(it.pool.pids).toHaveLength(1)
    await it.run(1_000, 0.05)
    expect(it.pool.pids).toEqual([])
    const busy = { code: 'unavailable', reason: 'reader_busy', retryAfter: 5 }
    expect(await running).toMatchObject(busy)
    expect(await waiting).toMatchObject(busy)
    expect(await it.pool.read(count(3), ann)).toMatchObject({ total: 3 })
  })

  test('gives a superuser twice the processor time until the machine counts as busy', async () => {
    await using it = await openPool()
    const read = settled(it.pool.read(ENDLESS, root))
    await it.run(59_999, 0)
    expect(it.pool.pids).toHaveLength(1)
    await it.run(1, 0)
    expect(it.pool.pids).toEqual([])
    expect(await read).toMatchObject({ reason: 'reader_busy' })
  })

  test('counts the processor time of each read by itself', async () => {
    await using it = await openPool()
    const first = settled(it.pool.read(ENDLESS, ann))
    await it.run(1_500)
    const second = settled(it.pool.read(ENDLESS, bob))
    await it.run(550)
    expect(await first).toMatchObject({ reason: 'filter_too_costly' })
    expect(it.pool.pids).toHaveLength(1)
    await it.run(1_500)
    expect(await second).toMatchObject({ reason: 'filter_too_costly' })
  })

  test('keeps the connection of the client open until the end of the read', async () => {
    await using it = await openPool()
    const times: number[] = []
    await it.pool.read(count(1), { ...ann, keepOpen: (ms) => times.push(ms) })
    await it.pool.read(count(1), { ...root, keepOpen: (ms) => times.push(ms) })
    expect(times).toEqual([30_000, 0, 60_000, 0])
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
    await it.run(2_050)
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

  test('measures the processor time of its processes', async () => {
    await using base = await openTestDatabase()
    const limits = { readers: 1, timeoutMs: 100, superuserTimeoutMs: 100 }
    const pool = new ReaderPool({ file: join(base.dir, 'svc.db') }, systemClock, { limits })
    expect(await settled(pool.read(ENDLESS, ann))).toMatchObject({ reason: 'filter_too_costly' })
    pool.close()
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
