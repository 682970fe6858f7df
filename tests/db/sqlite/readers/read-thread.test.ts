import { describe, expect, test } from 'bun:test'
import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { StatementError } from '../../../../src/db/engine/failure.ts'
import { createReadThread } from '../../../../src/db/sqlite/readers/read-thread.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const SLOW = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $most) SELECT count(*) AS n FROM n`

/** A thread on the file of a database that is open for writing. */
async function openThread() {
  const test = await openTestDatabase()
  const thread = createReadThread(join(test.dir, 'svc.db'))
  const write = (value: string) =>
    test.db.write('note', (tx) =>
      tx.run(
        "INSERT INTO meta (key, value) VALUES ('note', $value) ON CONFLICT DO UPDATE SET value = $value",
        {
          value,
        },
      ),
    )
  return {
    ...{ thread, write },
    async [Symbol.asyncDispose]() {
      thread.close()
      await test[Symbol.asyncDispose]()
    },
  }
}

const NOTE = "SELECT value FROM meta WHERE key = 'note'"

describe('createReadThread()', () => {
  test('responds in the order of the requests, while the event loop runs', async () => {
    await using it = await openThread()
    const ended: string[] = []
    const slow = it.thread.all(SLOW, { most: 300_000 }).then((rows) => {
      ended.push('slow')
      return rows
    })
    const quick = it.thread.all('SELECT $text AS text', { text: 'x' }).then((rows) => {
      ended.push('quick')
      return rows
    })
    setImmediate(() => ended.push('loop'))
    expect(await Promise.all([slow, quick])).toEqual([[{ n: 300_000 }], [{ text: 'x' }]])
    expect(ended).toEqual(['loop', 'slow', 'quick'])
  })

  test('sees what was committed before the request, even if the same one is already being processed', async () => {
    await using it = await openThread()
    await it.write('old')
    expect(await it.thread.all(NOTE)).toEqual([{ value: 'old' }])
    const first = it.thread.all(NOTE)
    await it.write('new')
    const [second, third] = [it.thread.all(NOTE), it.thread.all(NOTE)]
    await first
    expect(await second).toEqual([{ value: 'new' }])
    expect(await third).toEqual([{ value: 'new' }])
  })

  test('runs equal requests once', async () => {
    await using it = await openThread()
    const busy = it.thread.all(SLOW, { most: 100_000 })
    const [one, other, different] = [1, 1, 2].map((value) => it.thread.all('SELECT $value', { value }))
    expect(await one).toBe((await other) ?? [])
    expect(await different).not.toBe((await one) ?? [])
    await busy
  })

  test('continues after a statement that cannot run', async () => {
    await using it = await openThread()
    const failure = await it.thread.all('SELECT absent').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StatementError)
    expect(failure).toMatchObject({ message: 'no such column: absent' })
    expect(await it.thread.all('SELECT 1 AS one')).toEqual([{ one: 1 }])
    const written = await it.thread.all("INSERT INTO meta VALUES ('a', 'b')").catch((error: unknown) => error)
    expect(written).toMatchObject({ reason: 'storage_read_only' })
  })

  test('rejects requests beyond its limit, and all after its end', async () => {
    await using it = await openThread()
    const many = Array.from({ length: 101 }, (_, value) =>
      it.thread.all(SLOW, { most: 50_000 + value }).catch((error: unknown) => error),
    )
    expect(await many.at(-1)).toMatchObject({ code: 'unavailable', reason: 'too_many_reads' })
    it.thread.close()
    expect(await many.at(-2)).toMatchObject({ code: 'unavailable' })
    const late = await it.thread.all('SELECT 1').catch((error: unknown) => error)
    expect(late).toMatchObject({ code: 'unavailable' })
    it.thread.close()
  })

  test('distinguishes a damaged file from an invalid statement', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'some.db')
    writeSync(openSync(path, 'w'), Buffer.alloc(8_192, 0xff))
    const thread = createReadThread(path)
    const failure = await thread.all('SELECT * FROM sqlite_master').catch((error: unknown) => error)
    expect(failure).toMatchObject({ reason: 'database_damaged' })
    thread.close()
  })
})
