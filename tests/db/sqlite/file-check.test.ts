import { describe, expect, test } from 'bun:test'
import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type AppError, createLog, systemClock } from '../../../src/base/index.ts'
import { openConnection } from '../../../src/db/sqlite/connection.ts'
import { checkFile } from '../../../src/db/sqlite/file-check.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A database with a table of several pages, one of them overwritten when `isDamaged`. */
function make(folder: string, isDamaged: boolean) {
  const path = join(folder, 'some.db')
  const writer = openConnection(path, 'write')
  writer.run('CREATE TABLE numbers (value TEXT NOT NULL) STRICT')
  writer.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO numbers SELECT printf('%0100d', i) FROM n`)
  writer.close()
  if (isDamaged) writeSync(openSync(path, 'r+'), Buffer.alloc(4_096, 0xff), 0, 4_096, 3 * 4_096)
  return openConnection(path, 'read')
}

/** The outcome of checking a file larger than `atOnceBytes`. */
async function check(isDamaged: boolean, atOnceBytes: number) {
  using folder = temporaryFolder()
  const connection = make(folder.path, isDamaged)
  const checked = Promise.withResolvers<AppError | string>()
  const log = createLog({
    write: (line) => {
      if (JSON.parse(line).level === 'info') checked.resolve(JSON.parse(line).message)
    },
    now: () => 0,
  })
  checkFile(connection, { clock: systemClock, log, onDamaged: checked.resolve }, atOnceBytes)
  const outcome = await checked.promise
  connection.close()
  return outcome
}

describe('checkFile()', () => {
  test('reads a small file at once', async () => {
    using folder = temporaryFolder()
    const connection = make(folder.path, true)
    const parts = { clock: systemClock, log: createLog({ write: () => undefined, now: () => 0 }) }
    expect(() => checkFile(connection, parts)).toThrow('is damaged')
    connection.close()
  })

  test('checks a large file in the background', async () => {
    expect(await check(false, 0)).toBe('database checked')
    expect(await check(true, 0)).toMatchObject({ code: 'internal', reason: 'database_damaged' })
  })
})
