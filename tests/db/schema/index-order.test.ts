import { expect, test } from 'bun:test'
import { COLLECTIONS } from '../../../src/db/collections.ts'
import { indexOrderOf } from '../../../src/db/schema/tables.ts'
import { openTestDatabase } from '../../support/database.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'

test.skipIf(onlySqlite('its plans'))(
  'the records of each relation with an index are found in its order, without sorting them',
  async () => {
    await using test = await openTestDatabase()
    const relations = COLLECTIONS.flatMap(({ name, fields }) =>
      Object.entries(fields).flatMap(([field, { reference }]) => (reference ? [{ name, field }] : [])),
    )
    const plans = relations.flatMap(({ name, field }) => {
      const collection = COLLECTIONS.find((each) => each.name === name)
      const order = collection && indexOrderOf(collection, field)
      return order ? [{ relation: `${name}.${field}`, order, sql: sqlOf(name, field, order) }] : []
    })
    const sorted = await test.db.read((tx) =>
      plans.filter(
        ({ sql }) => !/^SEARCH \S+ USING [^;]*INDEX [^;]*$/.test(tx.explain(sql, { id: 'x' }).join('; ')),
      ),
    )
    expect(sorted).toEqual([])
    expect(plans.map(({ relation, order }) => `${relation}: ${order.join()}`)).toEqual(
      expect.arrayContaining([
        'quantum_jobs.user_id: seq',
        'events.qpu: ts,seq',
        'time_slots.qpu: start_time,seq',
      ]),
    )
  },
)

function sqlOf(name: string, field: string, order: readonly string[]): string {
  const by = order.map((each) => `"${each}"`).join(', ')
  return `SELECT "id" FROM "${name}" WHERE "${field}" = $id ORDER BY ${by} LIMIT 1000`
}
