import type { Dialect } from '../../engine/dialect.ts'
import { quoted } from '../../engine/sql.ts'
import type { AnyCollection } from '../../schema/collection.ts'
import type { Field } from '../../schema/field.ts'
import { valueSql } from '../../schema/large-values.ts'
import { badFilter, MAX_LARGE_READS, shortened } from '../language/limits.ts'
import { BASE, NOTHING, type Operand, textOf } from '../sql/operand.ts'
import type { Scope } from '../sql/scope.ts'
import { type Context, fieldOf } from './context.ts'
import { splitModifier } from './modifier.ts'
import type { Path, Position } from './position.ts'

/** The value of the last name of a path, with its modifier applied. */
export function lastOperand(
  context: Context,
  scope: Scope,
  position: Position,
  prop: string,
  path: Path,
): { operand: Operand; many: boolean } {
  const { name, modifier } = splitModifier(prop)
  const found = fieldOf(context, position.collection, name)
  if (found === 'hidden') throw badFilter(`The field ${shortened(name)} cannot be used in a filter`)
  if (!found) {
    if (path.lenient) return { operand: NOTHING, many: false }
    throw badFilter(`There is no field "${shortened(name)}" in ${position.collection.publicName}`)
  }
  const { field, column } = found
  const { dialect } = context.catalog
  const document = field.kind.isDocument ? documentSql(context, position, name, field) : undefined
  const stored = document?.sql ?? `${position.alias}.${quoted(column)}`
  const many = position.many
  const guard = document?.guard ?? emailGuard(context, position.collection, position.alias, name)
  const ofRecord = position.alias === BASE
  const derived = {
    ...columnOperand(field, stored, position.optional, dialect),
    ...(guard ? { guard } : {}),
    ...(ofRecord ? { field: name } : {}),
    ...(field.kind.isLarge(field) ? { isLarge: true } : {}),
  }
  const isColumn = ofRecord && !document && !guard && derived.sql === stored
  const plain = isColumn ? { ...derived, column } : derived
  switch (modifier) {
    case undefined:
      return { operand: plain, many }
    case 'lower':
      // LOWER converts any value to text; NULL stays NULL.
      return {
        operand: { ...derived, sql: `LOWER(${textOf(plain, dialect)})`, type: 'text', isColumn: false },
        many,
      }
    case 'length':
      return {
        operand: { ...derived, sql: lengthOf(field, stored, name, dialect), type: 'number', isColumn: false },
        many,
      }
    case 'each': {
      if (field.kind.items !== 'many') {
        assertHasItems(field, name, ':each')
        return { operand: plain, many }
      }
      const items = scope.join(`${position.key}/${name}:each`, (alias) => ({
        sql: `${dialect.jsonItems(dialect.jsonOf(stored))} AS ${alias} ON TRUE`,
      }))
      return { operand: { sql: `${items}."value"`, nature: 'column', type: 'text' }, many: true }
    }
    default:
      throw badFilter(`:${modifier} works for @request. names only, not for ${shortened(path.full)}`)
  }
}

function columnOperand(field: Field, stored: string, optional: boolean, dialect: Dialect): Operand {
  const { kind } = field
  const sql = kind.filterSql(stored, dialect)
  if (kind.isDocument) return { sql, nature: 'strict', type: 'any' }
  const type = kind.columnType(field) === 'TEXT' ? 'text' : 'number'
  return { sql, nature: optional ? 'column' : 'never-null', type, isColumn: true }
}

/**
 * The value at `keys` inside the JSON field `name`. The path is bound as a parameter, since its names come
 * from callers.
 */
export function jsonOperand(
  context: Context,
  position: Position,
  name: string,
  keys: readonly string[],
): Operand {
  const field = position.collection.fields[name]
  if (!field) throw new TypeError(`${position.collection.name} has no field "${name}"`)
  const document = documentSql(context, position, name, field)
  const last = splitModifier(keys.at(-1) ?? '')
  const steps = [...keys.slice(0, -1), last.name].map((key) =>
    /^[0-9]+$/.test(key) ? `[${key}]` : `."${key}"`,
  )
  const { dialect } = context.catalog
  const sql = dialect.jsonTyped(document.sql, context.binder.literal(`$${steps.join('')}`))
  const more = {
    ...(document.guard ? { guard: document.guard } : {}),
    ...(position.alias === BASE ? { field: name } : {}),
  }
  if (last.modifier === undefined) return { sql, nature: 'strict', type: 'any', ...more }
  if (last.modifier === 'lower') {
    return { sql: `LOWER(${dialect.text(sql)})`, nature: 'strict', type: 'text', ...more }
  }
  throw badFilter(`:${last.modifier} does not work inside JSON fields`)
}

/**
 * SQL for a stored JSON value. Programs, results and reports have megabytes, so that clients search only
 * their own: for other records the value is NULL, and the guard false.
 * @throws AppError `invalid` when the caller owns no record of the collection.
 */
function documentSql(
  { caller, reads, binder, authCollection }: Context,
  { collection, alias }: Position,
  name: string,
  field: Field,
): { sql: string; guard?: string } {
  if (alias === BASE) reads.documents.add(name)
  else reads.readsForeignDocuments = true
  const sql = valueSql(collection, name, alias)
  if (caller !== 'rule' && field.kind.isLarge(field) && ++reads.largeReads > MAX_LARGE_READS) {
    throw badFilter(
      `The filter reads ${name} and other large values more than ${MAX_LARGE_READS} times; use fewer comparisons of them`,
    )
  }
  if (caller !== 'client' || !field.kind.isLarge(field)) return { sql }
  const { owner = '' } = collection
  const ownerKind = collection.fields[owner]?.reference?.to
  if (ownerKind === undefined || ownerKind !== authCollection?.name) {
    const who = ownerKind === undefined ? 'superusers' : 'the owner of a record and superusers'
    throw badFilter(`Only ${who} can filter by ${name}; use other fields of ${collection.publicName}`)
  }
  const self = binder.deferred(({ auth }) => auth?.record.id ?? null)
  const guard = `${alias}.${quoted(owner)} = ${self}`
  return { sql: `CASE WHEN ${guard} THEN ${sql} END`, guard }
}

function lengthOf(field: Field, stored: string, name: string, { jsonLength, jsonOf }: Dialect): string {
  assertHasItems(field, name, ':length')
  return field.kind.items === 'many'
    ? `COALESCE(${jsonLength(jsonOf(stored))}, 0)`
    : `CASE WHEN COALESCE(${stored}, '') <> '' THEN 1 ELSE 0 END`
}

/** @throws AppError `invalid` when `modifier`, which is about items, stands behind a field that has none. */
export function assertHasItems(field: Field, name: string, modifier: string): void {
  if (field.kind.items !== 'none') return
  throw badFilter(`${modifier} works for relations and choices only, not for ${shortened(name)}`)
}

/** Clients can match the e-mail address only of accounts that show it. */
function emailGuard(
  { caller }: Context,
  collection: AnyCollection,
  alias: string,
  name: string,
): string | undefined {
  if (caller !== 'client' || collection.type !== 'auth' || name !== 'email') return undefined
  return `${alias}."emailVisibility" = 1`
}
