import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../src/base/index.ts'
import { COLLECTIONS, openDatabase } from '../../../src/db/index.ts'
import { qpus } from '../../../src/db/store/qpus/index.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { importRecords, openSnapshot } from '../../../src/db/transfer/index.ts'
import { openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { exported, importing, NO_JOBS, problemsOf, seed } from './support.ts'

describe('export and import', () => {
  test('result in the same export, and every invariant holds', async () => {
    await using one = await openTestDatabase()
    await seed(one.db)
    const before = await exported(one.place)
    await using other = await openTestDatabase()
    const path = join(other.dir, 'in.jsonl')
    writeFileSync(path, before)
    const { counts, errors } = await importRecords(other.db, { path, readPayload: NO_JOBS })
    expect(errors).toEqual([])
    // A new collection needs a record in `seed`.
    expect(Object.keys(counts).toSorted()).toEqual(COLLECTIONS.map((each): string => each.name).toSorted())
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(
      before.trim().split('\n').length,
    )
    expect(await exported(other.place)).toBe(before)
    expect(await problemsOf(other.db)).toEqual([])
  })

  test('preserve money: balances open the ledger, approved requests are part of them', async () => {
    await using one = await openTestDatabase()
    await seed(one.db)
    const { target } = await importing((await exported(one.place)).trim().split('\n'))
    await using other = target
    const rows = await other.db.read((tx) =>
      tx.all('SELECT kind, delta_ms FROM qpu_ledger ORDER BY kind, delta_ms'),
    )
    expect(rows).toEqual([
      { kind: 'grant', delta_ms: 100 },
      { kind: 'opening', delta_ms: -250 },
      { kind: 'opening', delta_ms: -100 },
      { kind: 'opening', delta_ms: 12_345 },
    ])
  })

  test('openSnapshot() reads one snapshot while the server writes, and rejects a folder without a database', async () => {
    await using one = await openTestDatabase()
    await seed(one.db)
    const snapshot = openSnapshot(one.place)
    const [first] = snapshot.records(qpus)
    await one.db.write('more', (tx) => tx.insert(events, { source: 'later', type: 'x', ts: 'T' }))
    expect(first?.['name']).toBe('kelvin_25')
    expect([...snapshot.records(events)].map((event) => event['source'])).toEqual(['x'])
    snapshot.close()
    using empty = temporaryFolder()
    expect(() => openSnapshot({ dir: empty.path })).toThrow('There is no database')
  })

  test('openSnapshot() reads the database of a stopped server', async () => {
    using folder = temporaryFolder()
    const db = await openDatabase({ dir: folder.path, clock: systemClock, log: silentLog })
    await seed(db)
    await db.close()
    expect((await exported({ dir: folder.path })).split('\n').length).toBeGreaterThan(15)
  })
})
