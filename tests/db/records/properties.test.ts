import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Database, Tx } from '../../../src/db/index.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { openTestDatabase } from '../../support/database.ts'
import { part } from '../../support/whole.ts'

const COLLECTIONS = { users, qpus, drivers } as const
type Name = keyof typeof COLLECTIONS

/** One step of a transaction; `pick` chooses among the records that exist. */
type Step =
  | { do: 'insert'; into: Name; text: string }
  | { do: 'update' | 'remove'; of: Name; pick: number; text: string }
  | { do: 'raw'; pick: number; text: string }
  | { do: 'throw' }

const text = fc.constantFrom('a', 'b', 'c', 'd', '')
const name = fc.constantFrom<Name>('users', 'qpus', 'drivers')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('insert' as const), into: name, text }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('update' as const, 'remove' as const),
      of: name,
      pick: fc.nat(20),
      text,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('raw' as const), pick: fc.nat(20), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('throw' as const) }) },
)

function idOf(tx: Tx, of: Name, pick: number): string {
  const all = tx.list(COLLECTIONS[of])
  return all.length === 0 ? 'nowhere00000000' : (all[pick % all.length]?.id ?? '')
}

function insert(tx: Tx, into: Name, text: string): void {
  if (into === 'users') tx.insert(users, { username: text, qpu_seconds: text === 'a' ? 3 : 0 })
  if (into === 'qpus') tx.insert(qpus, { name: text })
  if (into === 'drivers')
    tx.insert(drivers, { name: text, qpu: idOf(tx, 'qpus', 0), operation: 'process', token: text })
}

function update(tx: Tx, of: Name, id: string, text: string): void {
  if (of === 'users') tx.update(users, id, { username: text })
  if (of === 'qpus') tx.update(qpus, id, { name: text })
  if (of === 'drivers') tx.update(drivers, id, { name: text, enabled: text !== 'b' })
}

function take(tx: Tx, each: Step): void {
  switch (each.do) {
    case 'insert':
      insert(tx, each.into, each.text)
      break
    case 'update':
      update(tx, each.of, idOf(tx, each.of, each.pick), each.text)
      break
    case 'remove':
      tx.remove(COLLECTIONS[each.of], idOf(tx, each.of, each.pick))
      break
    case 'raw': {
      const id = idOf(tx, 'qpus', each.pick)
      const changed = tx.run('UPDATE qpus SET maintenance_reason = $text WHERE id = $id', {
        id,
        text: each.text,
      })
      if (changed > 0) tx.changed(qpus, id, 'update')
      break
    }
    case 'throw':
      throw new Error('random failure')
  }
}

/** The contents of the tables: `collection/id` → record as JSON. */
async function stored(db: Database): Promise<Map<string, string>> {
  return db.read(
    (tx) =>
      new Map(
        Object.entries(COLLECTIONS).flatMap(([table, collection]) =>
          tx
            .list(collection)
            .map((record): [string, string] => [`${table}/${record.id}`, JSON.stringify(record)]),
        ),
      ),
  )
}

test('the change feed matches the stored records, whatever fails', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 12 }), async (transactions) => {
      await using test = await openTestDatabase()
      const mirror = new Map<string, string>()
      test.db.changes.subscribe((changes) => {
        for (const change of changes) {
          const key = `${change.collection}/${change.id}`
          if (change.action === 'delete') mirror.delete(key)
          else mirror.set(key, JSON.stringify(change.record))
        }
      })
      for (const steps of transactions) {
        await test.db
          .write('random', (tx) => {
            for (const each of steps) take(tx, each)
          })
          .catch(() => undefined)
      }
      expect(mirror).toEqual(await stored(test.db))
      const balances = await test.db.read((tx) =>
        tx.one(`SELECT count(*) AS wrong FROM users WHERE qpu_ms <>
                  (SELECT coalesce(sum(delta_ms), 0) FROM qpu_ledger WHERE "user" = users.id)`),
      )
      expect(balances).toEqual({ wrong: 0 })
    }),
    { numRuns: part(60, 15) },
  )
}, 600_000)

test('a unique key has one winner among concurrent writers', async () => {
  await using test = await openTestDatabase()
  const attempts = Array.from({ length: 50 }, () =>
    test.db
      .write('race', (tx) => tx.insert(qpus, { name: 'north' }))
      .then(
        () => 1,
        () => 0,
      ),
  )
  const won = await Promise.all(attempts)
  expect(won.reduce<number>((sum, each) => sum + each, 0)).toBe(1)
})
