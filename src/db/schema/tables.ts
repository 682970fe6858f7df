import { sha256 } from '../../base/index.ts'
import { quoted } from '../engine/sql.ts'
import type { Table } from '../engine/stored-schema.ts'
import { type AnyCollection, columnOf } from './collection.ts'
import type { Field } from './field.ts'
import { largeFieldsOf, largeTableOf } from './large-values.ts'
import { entriesTableOf, entryTriggers } from './lists/list-entries.ts'

/** The main table of a collection. */
function tableOf(collection: AnyCollection): Table {
  const fields = Object.entries(collection.fields)
  return {
    name: collection.name,
    columns: [
      column('seq', 'INTEGER PRIMARY KEY AUTOINCREMENT'),
      column('id', 'TEXT NOT NULL UNIQUE'),
      ...fields.map(([name, field]) => fieldColumn(columnOf(name, field), field)),
      ...Object.entries(collection.columns).map(([name, sql]) => column(name, sql)),
      column('created', 'TEXT NOT NULL'),
      column('updated', 'TEXT NOT NULL'),
    ],
    constraints: Object.entries(collection.checks).map(
      ([name, condition]) => `CONSTRAINT ${quoted(`${collection.name}_${name}`)} CHECK (${condition})`,
    ),
    indexes: [
      ...fields.flatMap(([name, field]) =>
        field.unique
          ? // A required value is never '', so the index serves every query, also without `<> ''`.
            [index(collection.name, [name], true, field.required ? undefined : `${quoted(name)} <> ''`)]
          : [],
      ),
      ...fields.flatMap(([name, field]) =>
        needsRelationIndex(collection, name, field) ? [index(collection.name, [name], false)] : [],
      ),
      ...collection.indexes.map((each) =>
        'on' in each
          ? index(collection.name, each.on, each.unique === true, each.where)
          : index(collection.name, each, false),
      ),
    ],
  }
}

/** The tables of a collection: its main table, and a second one if it has large values. */
export function tablesOf(collection: AnyCollection): Table[] {
  const own = tableOf(collection)
  if (largeFieldsOf(collection).length === 0) return [own]
  const large = internal(
    largeTableOf(collection),
    {
      record: `TEXT NOT NULL REFERENCES ${quoted(collection.name)} ("id") ON DELETE CASCADE`,
      field: 'TEXT NOT NULL',
      body: 'TEXT NOT NULL',
    },
    ['PRIMARY KEY ("record", "field")'],
  )
  const { searchedList, owner } = collection
  if (searchedList === undefined || owner === undefined) return [own, large]
  const entries: Table = {
    ...internal(
      entriesTableOf(collection, searchedList),
      { user: 'TEXT NOT NULL', entry: 'TEXT NOT NULL', seq: 'INTEGER NOT NULL' },
      ['PRIMARY KEY ("user", "entry", "seq")'],
    ),
    isKeyed: true,
  }
  return [
    { ...own, triggers: (dialect) => entryTriggers(dialect, collection, searchedList, owner) },
    large,
    entries,
  ]
}

/**
 * The columns of each index that has all rows and each key, in order; none for the number of the row, which
 * follows the columns of every other index.
 */
export function fullIndexesOf(collection: AnyCollection): readonly (readonly string[])[] {
  const single = Object.entries(collection.fields).flatMap(([name, field]) =>
    (field.unique && field.required) || needsRelationIndex(collection, name, field) ? [[name]] : [],
  )
  return [[], ['id'], ...single, ...collection.indexes.flatMap((each) => ('on' in each ? [] : [each]))]
}

/**
 * The order in which an index finds the records whose field `name` has a value, without sorting them: by
 * their numbers where there is such an index. Undefined without an index.
 */
export function indexOrderOf(collection: AnyCollection, name: string): readonly string[] | undefined {
  const orders = fullIndexesOf(collection).flatMap(([first, ...rest]) =>
    first === name ? [[...rest, 'seq']] : [],
  )
  return orders.find(([next]) => next === 'seq')?.slice(0, 1) ?? orders[0]
}

/** Removing a record searches for the records that refer to it, which must not scan their table. */
function needsRelationIndex(collection: AnyCollection, name: string, field: Field): boolean {
  const { reference } = field
  // An index cannot serve a list, and references that are kept are not searched.
  if (!reference || reference.isList || reference.onRemove === 'keep') return false
  return !collection.indexes.some((each) => !('on' in each) && each[0] === name)
}

function column(name: string, sql: string) {
  // ALTER TABLE can add a column only if the value for stored rows is known.
  const addable = !/\bNOT NULL(?! DEFAULT)|\bPRIMARY KEY/.test(sql)
  return { name, sql: `${quoted(name)} ${sql}`, addable }
}

function fieldColumn(name: string, field: Field) {
  const type = field.kind.columnType(field)
  return column(name, `${type} ${field.kind.columnConstraints(field, quoted(name))}`.trimEnd())
}

/** An index, named after its table and columns. */
export function index(table: string, columns: readonly string[], unique: boolean, where?: string) {
  const name = indexName(table, columns, unique)
  const on = `${quoted(table)} (${columns.map(quoted).join(', ')})`
  const condition = where === undefined ? '' : ` WHERE ${where}`
  return { name, sql: `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${quoted(name)} ON ${on}${condition}` }
}

/** PostgreSQL cuts longer names than 63 bytes, without an error. */
const MAX_NAME = 60

/** The name of an index; a long one ends with a part of its hash. */
export function indexName(table: string, columns: readonly string[], unique = false): string {
  const name = `${table}_${columns.join('_')}${unique ? '_unique' : ''}`
  if (name.length <= MAX_NAME) return name
  const hash = sha256(name).slice(0, 8)
  return `${name.slice(0, MAX_NAME - hash.length - 1)}_${hash}`
}

/** A table that is not a collection; `columns` are types and constraints as SQL text, by name. */
export function internal(
  name: string,
  columns: Record<string, string>,
  constraints: readonly string[] = [],
  indexes: Table['indexes'] = [],
): Table {
  return {
    name,
    columns: Object.entries(columns).map(([each, sql]) => column(each, sql)),
    constraints,
    indexes,
  }
}

/** The same, with rows stored in the order of the primary key. */
export function keyed(...declaration: Parameters<typeof internal>): Table {
  return { ...internal(...declaration), isKeyed: true }
}
