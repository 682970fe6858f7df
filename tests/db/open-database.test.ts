import { describe, expect, test } from 'bun:test'
import { createLog, MIB, silentLog, systemClock } from '../../src/base/index.ts'
import { COLLECTIONS } from '../../src/db/collections.ts'
import type { CommitLog } from '../../src/db/engine/engine.ts'
import type { Change, Tx } from '../../src/db/index.ts'
import { openDatabaseOn } from '../../src/db/open-database.ts'
import { MIGRATIONS } from '../../src/db/schema/migrations/index.ts'
import { openEngine } from '../../src/db/sqlite/open-engine.ts'
import { users } from '../../src/db/store/accounts/index.ts'
import { qpus } from '../../src/db/store/qpus/index.ts'
import { openTestDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

describe('write()', () => {
  test('rolls everything back when the work throws, and publishes nothing', async () => {
    await using test = await openTestDatabase()
    const received: Change[] = []
    test.db.changes.subscribe((changes) => received.push(...changes))
    const failing = test.db.write('fail', (tx) => {
      tx.insert(qpus, { name: 'north' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await test.db.read((tx) => tx.list(qpus))).toEqual([])
    expect(received).toEqual([])
  })

  test('rejects async work, and a tx is unusable after its transaction', async () => {
    await using test = await openTestDatabase()
    let leaked: Tx | undefined
    const late = test.db.write('late', async (tx) => {
      leaked = tx
      await Promise.resolve()
      tx.insert(qpus, { name: 'north' })
    })
    await expect(late).rejects.toThrow('must not be async')
    expect(() => leaked?.run('DELETE FROM qpus')).toThrow('the transaction has ended')
    expect(await test.db.read((tx) => tx.list(qpus))).toEqual([])
  })

  test('rejects a transaction inside a transaction', async () => {
    await using test = await openTestDatabase()
    let inner: Promise<unknown> = Promise.resolve()
    await test.db.write('outer', (tx) => {
      tx.insert(qpus, { name: 'north' })
      inner = test.db.write('inner', (other) => other.insert(qpus, { name: 'south' })).catch((error) => error)
    })
    expect(String(await inner)).toContain('a transaction is open already')
    expect(await test.db.read((tx) => tx.list(qpus))).toHaveLength(1)
  })

  test('keeps one large write on its way to the disk, accounts in turn, and lets small ones pass', async () => {
    await using test = await openTestDatabase()
    const steps: string[] = []
    test.db.changes.subscribe((changes) => {
      for (const change of changes) steps.push(`${(change.record as { name: string }).name} is on disk`)
    })
    const insert = (name: string, account: string, bytes: number) =>
      test.db.write('insert', (tx) => steps.push(`${tx.insert(qpus, { name }).name}`), { bytes, account })
    const large = 2 * 1024 * 1024
    await Promise.all([
      insert('a1', 'ann', large),
      insert('a2', 'ann', large),
      insert('a3', 'ann', large),
      insert('b1', 'ben', large),
      insert('b2', 'ben', 100),
    ])
    expect(steps).toEqual([
      ...['a1', 'b2', 'a1 is on disk', 'b2 is on disk', 'a2', 'a2 is on disk'],
      ...['b1', 'b1 is on disk', 'a3', 'a3 is on disk'],
    ])
    const failing = test.db.write(
      'fail',
      () => {
        throw new Error('no')
      },
      { bytes: large },
    )
    await expect(failing).rejects.toThrow('no')
    await insert('a4', 'ann', large)
  })

  test('begins the next large write when the small ones that met the last one are on disk', async () => {
    using folder = temporaryFolder()
    const options = { dir: folder.path, clock: systemClock, log: silentLog }
    const flushes: PromiseWithResolvers<void>[] = []
    const db = await openDatabaseOn(
      (prepare) => {
        const engine = openEngine(options, prepare)
        const log: CommitLog = {
          ...engine.log,
          committed() {
            flushes.push(Promise.withResolvers())
            return flushes.at(-1)?.promise
          },
          get flushing() {
            return flushes.at(-1)?.promise
          },
        }
        return { ...engine, log }
      },
      options,
      { collections: COLLECTIONS, migrations: MIGRATIONS },
    )
    const steps: string[] = []
    const write = (name: string, bytes: number) => db.write(name, () => void steps.push(name), { bytes })
    const commits = (count: number) => until(`commit ${count}`, async () => flushes.length === count)
    const written = [write('large', MIB), write('next', MIB)]
    await commits(1)
    written.push(write('small', 1))
    await commits(2)
    flushes[0]?.resolve()
    await written[0]
    await Bun.sleep(0)
    expect(steps).toEqual(['large', 'small'])
    flushes[1]?.resolve()
    await commits(3)
    expect(steps).toEqual(['large', 'small', 'next'])
    flushes[2]?.resolve()
    await Promise.all(written)
    const closed = db.close()
    await commits(4)
    flushes[3]?.resolve()
    await closed
  })

  test('uses one time for the whole transaction', async () => {
    await using test = await openTestDatabase()
    const times = await test.db.write('times', (tx) => [
      tx.at,
      tx.insert(qpus, { name: 'n' }).created,
      tx.now,
    ])
    expect(times).toEqual(['2026-01-31 09:00:00.000Z', '2026-01-31 09:00:00.000Z', test.clock.now()])
  })

  test('rejects after close()', async () => {
    await using test = await openTestDatabase()
    await test.db.close()
    await expect(test.db.write('late', () => 1)).rejects.toThrow('The database is closed')
    await expect(test.db.read(() => 1)).rejects.toThrow('The database is closed')
  })
})

describe('close()', () => {
  test('commits what was written in the same turn', async () => {
    await using test = await openTestDatabase()
    const [added] = await Promise.all([
      test.db.write('add', (tx) => tx.insert(qpus, { name: 'north' })),
      test.db.close(),
    ])
    expect(added.name).toBe('north')
  })
})

describe('read()', () => {
  test('sees what is committed and cannot write', async () => {
    await using test = await openTestDatabase()
    await test.db.write('add', (tx) => tx.insert(qpus, { name: 'north' }))
    expect(await test.db.read((tx) => tx.one('SELECT count(*) AS count FROM qpus'))).toEqual({ count: 1 })
    await expect(test.db.read((tx) => tx.all('DELETE FROM qpus RETURNING id'))).rejects.toMatchObject({
      code: 'storage_full',
      reason: 'storage_read_only',
    })
    expect(await test.db.read((tx) => tx.list(qpus))).toHaveLength(1)
  })

  test('binds parameters by name and rejects a missing one', async () => {
    await using test = await openTestDatabase()
    await test.db.read((tx) => {
      expect(tx.one('SELECT $a + $b AS sum', { a: 1, b: 2 })).toEqual({ sum: 3 })
      expect(tx.one('SELECT 1 WHERE 1 = 0')).toBeUndefined()
      // Last, since PostgreSQL runs no further statement of this transaction then.
      expect(() => tx.one('SELECT $a + $b AS sum', { a: 1 })).toThrow(
        /Missing parameter|syntax error at or near/,
      )
    })
  })
})

describe('upcoming', () => {
  test('is emitted before the commit, so that a write in response shares that commit', async () => {
    await using test = await openTestDatabase()
    const commits: string[][] = []
    const writes: Promise<unknown>[] = []
    const visible = () => test.db.read((tx) => tx.list(qpus).map((qpu) => qpu.name))
    test.db.upcoming.subscribe(([change]) => {
      writes.push(visible().then((names) => commits.push(names)))
      if (change?.action === 'create') {
        writes.push(test.db.write('react', (tx) => tx.update(qpus, change.id, { name: 'renamed' })))
      }
    })
    test.db.changes.subscribe(() => writes.push(visible().then((names) => commits.push(names))))
    await test.db.write('add', (tx) => tx.insert(qpus, { name: 'north' }))
    await Promise.all(writes)
    // Two calls before the commit, two calls after it.
    expect(commits).toEqual([[], [], ['renamed'], ['renamed']])
  })

  test('is not called for a failed write', async () => {
    await using test = await openTestDatabase()
    let received = 0
    test.db.upcoming.subscribe(() => received++)
    const failing = test.db.write('fail', (tx) => {
      tx.insert(qpus, { name: 'north' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(received).toBe(0)
  })
})

describe('withdrawn', () => {
  test('has what was upcoming if the commit fails, of all that shared it', async () => {
    await using test = await openTestDatabase()
    const received: string[] = []
    for (const feed of ['upcoming', 'withdrawn', 'changes'] as const) {
      test.db[feed].subscribe((changes) => received.push(`${feed} ${changes.length}`))
    }
    const writes = [
      test.db.write('add', (tx) => tx.insert(qpus, { name: 'north' })),
      test.db.write('break', (tx) => {
        tx.run(tx.dialect.deferReferences)
        tx.run("INSERT INTO unfit_jobs (qpu, job_seq, reason) VALUES ('north', 1, 'there is no such job')")
      }),
    ]
    const ends = await Promise.allSettled(writes)
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(received).toEqual(['upcoming 1', 'withdrawn 1'])
    expect(await test.db.read((tx) => tx.list(qpus))).toEqual([])
  })
})

describe('changes', () => {
  test('are delivered in their order even when a listener of upcoming ones writes at once', async () => {
    await using test = await openTestDatabase()
    const received: string[] = []
    const writes: Promise<unknown>[] = []
    test.db.upcoming.subscribe(([change]) => {
      if (change?.action === 'create')
        writes.push(test.db.write('react', (tx) => tx.update(qpus, change.id, { num_qubits: 2 })))
    })
    test.db.changes.subscribe((changes) => received.push(...changes.map(({ action }) => action)))
    writes.push(test.db.write('add', (tx) => tx.insert(qpus, { name: 'north' })))
    await Promise.all(writes)
    expect(received).toEqual(['create', 'update'])
  })

  test('are delivered after the commit, in order, once per transaction', async () => {
    await using test = await openTestDatabase()
    const received: string[][] = []
    const stop = test.db.changes.subscribe((changes) =>
      received.push(changes.map((change) => `${change.action} ${change.collection}`)),
    )
    const id = await test.db.write('add', (tx) => {
      tx.insert(users, { email: 'a@b.cd' })
      return tx.insert(qpus, { name: 'north' }).id
    })
    await test.db.write('edit', (tx) => {
      tx.run('UPDATE qpus SET num_qubits = 9 WHERE id = $id', { id })
      tx.changed(qpus, id, 'update')
    })
    await test.db.write('nothing', () => 1)
    stop()
    await test.db.write('drop', (tx) => tx.remove(qpus, id))
    expect(received).toEqual([['create users', 'create qpus'], ['update qpus']])
  })

  test('carry the record as committed', async () => {
    await using test = await openTestDatabase()
    const records: unknown[] = []
    test.db.changes.subscribe((changes) => records.push(...changes.map((change) => change.record)))
    const id = await test.db.write('add', (tx) => tx.insert(qpus, { name: 'north' }).id)
    await test.db.write('edit', (tx) => {
      tx.run('UPDATE qpus SET num_qubits = 9 WHERE id = $id', { id })
      tx.changed(qpus, id, 'update')
    })
    expect(records).toMatchObject([{ num_qubits: 1 }, { num_qubits: 9 }])
  })

  test('survive a listener that throws: it is logged, the write is committed, the other listeners are called', async () => {
    const lines: string[] = []
    const log = createLog({ format: 'json', write: (line) => lines.push(line) })
    await using test = await openTestDatabase({ log })
    let received = 0
    test.db.changes.subscribe(() => {
      throw new Error('listener broke')
    })
    test.db.changes.subscribe(() => received++)
    await test.db.write('add', (tx) => tx.insert(qpus, { name: 'north' }))
    expect(received).toBe(1)
    expect(lines.join()).toContain('listener broke')
    expect(await test.db.read((tx) => tx.list(qpus))).toHaveLength(1)
  })

  test('of a listener that writes follow those that caused them, for every listener', async () => {
    await using test = await openTestDatabase()
    const order: string[] = []
    const writes: Promise<unknown>[] = []
    test.db.changes.subscribe((changes) => {
      if (changes[0]?.collection === 'qpus') {
        writes.push(test.db.write('react', (tx) => tx.insert(users, { email: 'a@b.cd' })))
      }
    })
    test.db.changes.subscribe((changes) => order.push(...changes.map((change) => change.collection)))
    await test.db.write('add', (tx) => tx.insert(qpus, { name: 'north' }))
    await Promise.all(writes)
    expect(order).toEqual(['qpus', 'users'])
  })
})

describe('names', () => {
  test('are the defaults unless configured', async () => {
    await using test = await openTestDatabase({ names: { qpus: 'machines' } })
    const { names } = test.db
    expect(names.publicName(qpus)).toBe('machines')
    expect(names.byPublicName('machines')?.name).toBe('qpus')
    expect(names.byPublicName('qpus')).toBeUndefined()
    expect(names.byPublicName('_superusers')?.name).toBe('superusers')
  })

  test('are rejected when malformed or used twice', async () => {
    await expect(openTestDatabase({ names: { qpus: 'My QPUs' } })).rejects.toThrow('"My QPUs" cannot name')
    await expect(openTestDatabase({ names: { qpus: 'users' } })).rejects.toThrow('"users" names both')
  })
})
