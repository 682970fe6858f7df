import { quoted } from '../../engine/sql.ts'
import type { AnyCollection } from '../../schema/collection.ts'
import type { Reference } from '../../schema/reference.ts'
import type { Scope } from '../sql/scope.ts'
import { type Context, collectionByName, fieldOf } from './context.ts'
import { joinCollection } from './join.ts'
import type { Position } from './position.ts'

/**
 * A relation in the opposite direction: the records of `collection` whose field `name` refers to a record.
 */
export interface BackRelation {
  readonly collection: AnyCollection
  readonly name: string
  readonly reference: Reference
  /** Whether a unique index allows only one such record. */
  readonly single: boolean
}

/**
 * The relation that `<collection>_via_<field>` denotes for records of `target`; undefined when there is none.
 */
export function backRelation(
  context: Pick<Context, 'catalog' | 'caller'>,
  target: AnyCollection,
  prop: string,
): BackRelation | undefined {
  // A name may itself contain `_via_`; the last possible split is used.
  for (let at = prop.lastIndexOf(MARK); at > 0; at = prop.lastIndexOf(MARK, at - 1)) {
    const collection = collectionByName(context, prop.slice(0, at))
    const name = prop.slice(at + MARK.length)
    const found = collection && fieldOf(context, collection, name)
    if (!found || found === 'hidden' || found.field.reference?.to !== target.name) continue
    return { collection, name, reference: found.field.reference, single: isUnique(collection, name) }
  }
  return undefined
}

const MARK = '_via_'

function isUnique(collection: AnyCollection, name: string): boolean {
  return collection.indexes.some(
    (index) => 'on' in index && index.unique && !index.where && index.on.length === 1 && index.on[0] === name,
  )
}

/** Joins the records that `<collection>_via_<field>` denotes; undefined when it denotes none. */
export function joinBackRelation(
  context: Context,
  scope: Scope,
  from: Position,
  prop: string,
): Position | undefined {
  const back = backRelation(context, from.collection, prop)
  if (!back) return undefined
  const { collection, name, reference, single } = back
  const key = `${from.key}/${prop}`
  const on = (each: string) =>
    reference.holds(context.catalog.dialect, `${each}.${quoted(name)}`, `= ${from.alias}."id"`)
  // A list of references has no index, so that all records are read even for one.
  if (reference.isList || !single) context.reads.followsBack = true
  const alias = joinCollection(context, scope, key, collection, on)
  return { collection, alias, key, optional: true, many: from.many || !single }
}
