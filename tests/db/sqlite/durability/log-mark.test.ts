import { describe, expect, test } from 'bun:test'
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../../src/base/index.ts'
import { openDatabase } from '../../../../src/db/index.ts'
import { openConnection } from '../../../../src/db/sqlite/connection.ts'
import { qpus } from '../../../../src/db/store/qpus/index.ts'
import { openOnDisk } from '../../../support/database.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const open = (dir: string, options = {}) =>
  openDatabase({ dir, clock: new FakeClock(), log: silentLog, ...options })

/** What a killed server leaves after `commits` commits: copies of its files, taken while it runs. */
async function killed(commits: number) {
  const folder = temporaryFolder()
  const dir = join(folder.path, 'data')
  await using test = await openOnDisk()
  for (let n = 0; n < commits; n += 1) await test.db.write('add', (tx) => tx.insert(qpus, { name: `q${n}` }))
  cpSync(test.dir, dir, { recursive: true })
  for (const name of ['svc.lock', 'svc.db-shm']) rmSync(join(dir, name), { force: true })
  return {
    dir,
    log: join(dir, 'svc.db-wal'),
    mark: join(dir, 'svc.db-mark'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

async function namesIn(dir: string): Promise<string[]> {
  const db = await open(dir)
  return db.read((tx) => tx.list(qpus).map(({ name }) => name)).finally(() => db.close())
}

const flipBit = (path: string, place: number) => {
  const bytes = readFileSync(path)
  bytes[place] = (bytes[place] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

describe('a server that was killed', () => {
  test('starts with all commits when its log is whole', async () => {
    using left = await killed(3)
    expect(await namesIn(left.dir)).toEqual(['q0', 'q1', 'q2'])
  })

  test.each([
    ['missing', 'is missing', ({ log }: { log: string }) => rmSync(log)],
    ['empty', 'is empty', ({ log }: { log: string }) => truncateSync(log)],
    ['without a header', 'has no valid header', ({ log }: { log: string }) => flipBit(log, 20)],
    [
      'cut by one byte',
      'is intact only up to page',
      ({ log }: { log: string }) => truncateSync(log, readFileSync(log).length - 1),
    ],
    [
      'damaged in the middle',
      'is intact only up to page',
      ({ log }: { log: string }) => flipBit(log, readFileSync(log).length / 2),
    ],
  ])(
    'is refused when its log is %s, changes nothing, and starts once the loss is accepted',
    async (_, text, damage) => {
      using left = await killed(3)
      damage(left)
      const before = existsSync(left.log) ? readFileSync(left.log) : undefined
      for (let twice = 0; twice < 2; twice += 1) {
        await expect(open(left.dir)).rejects.toMatchObject({
          reason: 'log_lost',
          message: expect.stringMatching(
            new RegExp(
              `svc.db-wal ${text}.*acknowledged from 2026-01-31 09:00:00.000Z to 2026-01-31 09:00:00.000Z may be lost; .*svc doctor --accept-loss$`,
            ),
          ),
        })
      }
      expect(existsSync(left.log) ? readFileSync(left.log) : undefined).toEqual(before)
      const losses: unknown[] = []
      const db = await open(left.dir, { onLogLoss: (loss: unknown) => losses.push(loss) })
      await db.close()
      expect(losses).toEqual([
        {
          detail: expect.stringContaining(text),
          since: '2026-01-31 09:00:00.000Z',
          until: '2026-01-31 09:00:00.000Z',
        },
      ])
      if (before) expect(readFileSync(`${left.log}.before-loss`)).toEqual(before)
      await namesIn(left.dir)
    },
  )

  test('starts without its log when another program has put all of it into the database', async () => {
    using left = await killed(3)
    const other = openConnection(join(left.dir, 'svc.db'), 'write')
    other.one('SELECT count(*) FROM qpus')
    other.close()
    expect(existsSync(left.log)).toBe(false)
    expect(await namesIn(left.dir)).toEqual(['q0', 'q1', 'q2'])
  })

  test('starts with an emptied log, even if it was killed before the mark could follow', async () => {
    using left = await killed(3)
    const mark = readFileSync(left.mark)
    const other = openConnection(join(left.dir, 'svc.db'), 'write')
    other.one('PRAGMA wal_checkpoint(TRUNCATE)')
    cpSync(join(left.dir, 'svc.db'), join(left.dir, 'copy'))
    other.close()
    writeFileSync(left.log, '')
    writeFileSync(left.mark, mark)
    expect(await namesIn(left.dir)).toEqual(['q0', 'q1', 'q2'])
  })

  test('starts with a log that was begun again after the mark', async () => {
    using left = await killed(3)
    const mark = readFileSync(left.mark)
    const other = openConnection(join(left.dir, 'svc.db'), 'write')
    other.one('PRAGMA wal_checkpoint(RESTART)')
    other.run('DELETE FROM qpus')
    cpSync(left.dir, `${left.dir}-2`, { recursive: true })
    other.close()
    writeFileSync(join(`${left.dir}-2`, 'svc.db-mark'), mark)
    expect(await namesIn(`${left.dir}-2`)).toEqual([])
  })

  test('starts with a whole log and a damaged mark, and is refused when both are damaged', async () => {
    using left = await killed(3)
    flipBit(left.mark, 30)
    expect(await namesIn(left.dir)).toEqual(['q0', 'q1', 'q2'])
    using other = await killed(3)
    flipBit(other.mark, 30)
    rmSync(other.log)
    await expect(open(other.dir)).rejects.toMatchObject({
      reason: 'log_lost',
      message: expect.stringContaining('changes acknowledged before the server ended may be lost'),
    })
  })
})

test('a database that was closed has no mark, and may be replaced by another one', async () => {
  using folder = temporaryFolder()
  const db = await open(folder.path)
  expect(existsSync(join(folder.path, 'svc.db-mark'))).toBe(true)
  await db.write('add', (tx) => tx.insert(qpus, { name: 'north' }))
  await db.close()
  expect(existsSync(join(folder.path, 'svc.db-mark'))).toBe(false)
  expect(await namesIn(folder.path)).toEqual(['north'])
})

test('every commit moves the mark, also after the log was begun again', async () => {
  await using test = await openOnDisk()
  const mark = () => readFileSync(join(test.dir, 'svc.db-mark')).toString('hex')
  const seen = new Set([mark()])
  for (let n = 0; n < 5; n += 1) {
    await test.db.write('add', (tx) => tx.insert(qpus, { name: `q${n}` }))
    seen.add(mark())
    // More pages than SQLite keeps in the log.
    await test.db.write('large', (tx) =>
      tx.run('INSERT INTO meta (key, value) SELECT $key, hex(zeroblob(2500000))', { key: `part ${n}` }),
    )
    seen.add(mark())
  }
  expect(seen.size).toBe(11)
})
