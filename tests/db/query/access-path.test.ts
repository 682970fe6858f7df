import { expect, test } from 'bun:test'
import { COLLECTIONS } from '../../../src/db/collections.ts'
import type { SqlReader } from '../../../src/db/engine/sql.ts'
import { createRecordQueries, type RecordQueries } from '../../../src/db/query/query.ts'
import type { AnyCollection } from '../../../src/db/schema/collection.ts'
import { fullIndexesOf } from '../../../src/db/schema/tables.ts'
import { openTestDatabase } from '../../support/database.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { ROOT } from '../filter/library.ts'

/** A filter and a sort. */
interface List {
  filter: string
  sort: string
}

/** Whether clients may filter and sort by a column. */
function isPublic({ fields }: AnyCollection, column: string): boolean {
  const field = fields[column]
  return (
    ['id', 'created'].includes(column) ||
    (field !== undefined && !field.internal && !field.kind.isLarge(field))
  )
}

/** The lists that an index serves: its first columns have values, the others are the order, maybe bounded. */
function servedBy(columns: readonly string[]): List[] {
  return [...columns, ''].flatMap((_, fixed) => {
    const filter = columns.slice(0, fixed).map((column) => `${column} = "x"`)
    const sorted = columns.slice(fixed)
    const [first] = sorted
    const ranges =
      first === undefined ? [[]] : [[], [`${first} > "a"`], [`${first} >= "a"`, `${first} < "b"`]]
    return ['', '-'].flatMap((direction) =>
      ranges.map((range) => ({
        filter: [...filter, ...range].join(' && '),
        sort: sorted.map((key) => direction + key).join(','),
      })),
    )
  })
}

function listsOf(collection: AnyCollection): List[] {
  const indexes = fullIndexesOf(collection).map((index) =>
    index.slice(0, index.includes('seq') ? index.indexOf('seq') : index.length),
  )
  const served = indexes.filter((columns) => columns.every((column) => isPublic(collection, column)))
  const others = [...Object.keys(collection.fields), 'created', 'id'].filter((name) =>
    isPublic(collection, name),
  )
  return [
    ...served.flatMap(servedBy),
    ...others.flatMap((name) => [
      { filter: `${name} = "x"`, sort: '' },
      { filter: `${name} > "x"`, sort: name },
      { filter: `${name} = "x"`, sort: '-created' },
      { filter: '', sort: `${name},created` },
    ]),
  ]
}

/** The steps in which SQLite reads the list; undefined when the rule leaves it to a reader. */
function stepsOf(queries: RecordQueries, tx: SqlReader, collection: AnyCollection, list: List) {
  const request = { ...list, page: 1, perPage: 30, skipTotal: true, rule: null, requestInfo: ROOT }
  const { isIndexed, ids } = queries.plan(tx, collection, request)
  return isIndexed ? tx.explain(ids.sql, ids.params) : undefined
}

test.skipIf(onlySqlite('its plans'))(
  'SQLite finds what the rule calls indexed by an index, in order, and no other rows',
  async () => {
    await using lab = await openTestDatabase()
    const queries = createRecordQueries({ db: lab.db })
    const found = await lab.db.read((tx) =>
      COLLECTIONS.flatMap((collection) =>
        listsOf(collection).flatMap((list) => {
          const steps = stepsOf(queries, tx, collection, list)
          return steps ? [{ ...list, name: collection.name, steps }] : []
        }),
      ),
    )
    for (const { name, filter, sort, steps } of found) {
      const list = `${name}: ${filter} / ${sort}: ${steps.join('; ')}`
      const compared = /\((.*)\)$/.exec(steps[0] ?? '')?.[1]?.split(' AND ').length ?? 0
      expect([list, steps.length, compared]).toEqual([
        list,
        1,
        filter === '' ? 0 : filter.split(' && ').length,
      ])
      if (filter === '' && sort !== '') expect(list).toContain('INDEX')
    }
    expect(found.length).toBeGreaterThan(150)
  },
)
