import { quoted } from '../engine/sql.ts'
import { type AnyCollection, columnOf, type RecordOf } from './collection.ts'
import type { Field } from './field.ts'
import { StoredJson } from './json-text.ts'
import {
  isLeftOut,
  largeFieldsOf,
  shortValueSql,
  type Unread,
  unlessUnread,
  valueSql,
} from './large-values.ts'
import { setDecoded, setStored } from './unread-json.ts'

/** A record of a collection that is not known at compile time. */
export type AnyRecord = RecordOf<AnyCollection>

/** The SQL texts of one collection, and the conversion between rows and records. */
export interface Plan {
  /** `SELECT … FROM …` without a condition; columns carry the names of their fields. */
  select: string
  /**
   * The same with null in place of the values of `unread`, and with `#` and the number of bytes in place of
   * large values of more than `most` bytes; `record` then needs `load`.
   */
  selectShort(unread: Unread, most?: number): string
  /** What `selectShort` selects, for the RETURNING of a statement. */
  returning(most: number): string
  /** With further columns, which have the names of their parameters. Returns `seq`, the number of the row. */
  insert(further: readonly string[]): string
  fields: readonly (readonly [name: string, field: Field])[]
  /**
   * The record of a row; `load` reads the stored text of a large field of which the row has only the
   * length.
   */
  record(row: Record<string, unknown>, load?: (id: string, name: string) => unknown): AnyRecord
  /** Column of a declared field or system key. Throws TypeError for any other name. */
  column(name: string): string
}

const SYSTEM_COLUMNS = ['id', 'created', 'updated']

/**
 * Returns the plan of a collection, creating it once. `reads`: the fields that its records have; others are
 * neither selected nor decoded.
 */
export function createPlans(
  reads: (field: Field) => boolean = () => true,
): (collection: AnyCollection) => Plan {
  const plans = new Map<AnyCollection, Plan>()
  return (collection) => {
    const known = plans.get(collection)
    if (known) return known
    const plan = planOf(
      collection,
      Object.entries(collection.fields).filter(([, field]) => reads(field)),
    )
    plans.set(collection, plan)
    return plan
  }
}

function planOf(collection: AnyCollection, fields: Plan['fields']): Plan {
  const decoders = fields.map(([name, { kind }]) => [name, kind.decode, kind.isDocument] as const)
  const columns = new Map<string, string>([
    ...SYSTEM_COLUMNS.map((name): [string, string] => [name, name]),
    ...fields.map(([name, field]): [string, string] => [name, columnOf(name, field)]),
  ])
  const large = largeFieldsOf(collection)
  const texts = new Map<string, string>()
  const known = (key: string, build: () => string) => {
    const text = texts.get(key) ?? build()
    texts.set(key, text)
    return text
  }
  const selectShort = (unread: Unread, most = Number.POSITIVE_INFINITY) =>
    known(`${most} ${Object.entries(unread)}`, () => shortened(unread, most))
  const insertionOf = (further: readonly string[]) =>
    `INSERT INTO ${quoted(collection.name)} (${[...columns.values(), ...further].map(quoted).join(', ')}) ` +
    `VALUES (${[...columns.keys(), ...further].map((name) => `$${name}`).join(', ')}) RETURNING seq`
  const shortened = (unread: Unread, most: number) =>
    `SELECT ${selectedOf(unread, most)} FROM ${quoted(collection.name)}`
  const selectedOf = (unread: Unread, most: number) => {
    const selected = [...columns.keys()].map((name) => {
      const isShort = Number.isFinite(most) && large.includes(name)
      const whole = isShort ? shortValueSql(collection, name, most) : valueSql(collection, name)
      const value = unlessUnread(unread, name, whole)
      return value === quoted(name) ? value : `${value} AS ${quoted(name)}`
    })
    return selected.join(', ')
  }
  return {
    select: selectShort({}),
    selectShort,
    returning: (most) => known(`returning ${most}`, () => selectedOf({}, most)),
    insert: (further) => known(`insert ${further}`, () => insertionOf(further)),
    fields,
    record(row, load) {
      const record: AnyRecord = {
        id: String(row['id']),
        created: String(row['created']),
        updated: String(row['updated']),
      }
      for (const [name, decode, isDocument] of decoders) {
        const value = row[name]
        if (load && isLeftOut(value) && large.includes(name)) {
          const bytes = Number(value.slice(1))
          const stored = new StoredJson(collection, { record: record.id, field: name, bytes })
          setStored(record, name, stored, () => decode(load(record.id, name)))
        } else if (isDocument) setDecoded(record, name, row[name], decode, { isLarge: large.includes(name) })
        else record[name] = decode(row[name])
      }
      return record
    },
    column(name) {
      const column = name === 'seq' ? 'seq' : columns.get(name)
      if (column === undefined) throw new TypeError(`${collection.name} has no field "${name}"`)
      return column
    },
  }
}
