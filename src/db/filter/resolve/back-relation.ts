import type { AnyCollection } from '../../schema/collection.ts'
import type { AnyField, RelationField, RelationsField } from '../../schema/field.ts'
import { jsonOf } from '../../sqlite/json-sql.ts'
import { quoted } from '../../sqlite/sql.ts'
import type { Fan, Scope } from '../sql/scope.ts'
import { type Context, collectionByName, fieldOf } from './context.ts'
import { joined } from './join.ts'
import type { Position } from './position.ts'

/** A relation seen from its other end: the records of `collection` whose field `name` names a record. */
export interface BackRelation {
  readonly collection: AnyCollection
  readonly name: string
  readonly field: RelationField | RelationsField
  /** Whether a unique index allows only one such record. */
  readonly single: boolean
}

/** The relation that `<collection>_via_<field>` means for records of `target`; undefined when there is none. */
export function backRelation(
  context: Pick<Context, 'catalogue' | 'caller'>,
  target: AnyCollection,
  prop: string,
): BackRelation | undefined {
  // Names may contain the mark themselves; the last one that makes sense counts.
  for (let at = prop.lastIndexOf(MARK); at > 0; at = prop.lastIndexOf(MARK, at - 1)) {
    const collection = collectionByName(context, prop.slice(0, at))
    const name = prop.slice(at + MARK.length)
    const found = collection && fieldOf(context, collection, name)
    if (!found || found === 'hidden' || !isRelation(found.field) || found.field.to !== target.name) continue
    return { collection, name, field: found.field, single: isUnique(collection, name) }
  }
  return undefined
}

const MARK = '_via_'

function isRelation(field: AnyField): field is RelationField | RelationsField {
  return field.kind === 'relation' || field.kind === 'relations'
}

function isUnique(collection: AnyCollection, name: string): boolean {
  return collection.indexes.some(
    (index) => 'on' in index && index.unique && !index.where && index.on.length === 1 && index.on[0] === name,
  )
}

/** Joins the records that `<collection>_via_<field>` means; undefined when the name means nothing. */
export function joinBackRelation(
  context: Context,
  scope: Scope,
  from: Position,
  prop: string,
): Position | undefined {
  const back = backRelation(context, from.collection, prop)
  if (!back) return undefined
  const { collection, name, field, single } = back
  const key = `${from.key}/${prop}`
  const on = (each: string) => namesRecord(field, each, name, `${from.alias}."id"`)
  const alias = joined(context, scope, key, collection, on, fanOf(back))
  return { collection, alias, key, optional: true, many: from.many || !single }
}

function fanOf({ collection, name, field, single }: BackRelation): Fan | undefined {
  if (field.kind === 'relations') return { kind: 'table', table: collection.name }
  return single ? undefined : { kind: 'relation', table: collection.name, column: name }
}

/** The condition that the relation `name` of `alias` holds the id `id`. */
function namesRecord(field: RelationField | RelationsField, alias: string, name: string, id: string): string {
  const column = `${alias}.${quoted(name)}`
  return field.kind === 'relation'
    ? `${column} = ${id}`
    : `EXISTS (SELECT 1 FROM json_each(${jsonOf(column)}) WHERE "value" = ${id})`
}
