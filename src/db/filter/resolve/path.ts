import { quoted } from '../../engine/sql.ts'
import type { AnyCollection } from '../../schema/collection.ts'
import { badFilter, MAX_HOPS, shortened } from '../language/limits.ts'
import { NOTHING, type Operand } from '../sql/operand.ts'
import type { Scope } from '../sql/scope.ts'
import { joinBackRelation } from './back-relation.ts'
import { type Context, collectionOf, fieldOf } from './context.ts'
import { joinCollection } from './join.ts'
import { jsonOperand, lastOperand } from './last-field.ts'
import type { Path, Position } from './position.ts'

/**
 * The value at the end of a path. Adds the joins that it needs to `scope`.
 * @throws AppError `invalid` for names that the caller may not use.
 */
export function pathOperand(context: Context, scope: Scope, path: Path): Operand {
  const { operand, many } = walk(context, scope, path)
  return many ? { ...operand, many: (fresh) => walk(context, fresh, path).operand } : operand
}

/** An operand, and whether it may have several values per record. */
interface Found {
  operand: Operand
  many: boolean
}

function walk(context: Context, scope: Scope, path: Path): Found {
  let position = path.enter(scope)
  for (const [index, prop] of path.props.entries()) {
    const rest = path.props.slice(index + 1)
    const end = endOf(context, scope, position, path, prop, rest)
    if (end) return end
    if (index >= MAX_HOPS) throw badFilter(`${shortened(path.full)} follows more than ${MAX_HOPS} relations`)
    const next = followed(context, scope, position, path.full, prop)
    if (next) position = next
    else if (path.lenient) return { operand: NOTHING, many: false }
    else throw unknownField(path.full, prop, position.collection)
  }
  throw badFilter(`${shortened(path.full)} does not name a field`)
}

/** The value, when the path needs no further join. */
function endOf(
  context: Context,
  scope: Scope,
  position: Position,
  path: Path,
  prop: string,
  rest: readonly string[],
): Found | undefined {
  if (rest.length === 0) return lastOperand(context, scope, position, prop, path)
  const found = fieldOf(context, position.collection, prop)
  if (found === 'hidden') throw badFilter(`The field ${shortened(prop)} cannot be used in a filter`)
  if (found?.field.kind.isDocument) {
    return { operand: jsonOperand(context, position, prop, rest), many: position.many }
  }
  // A single relation stores the id itself, so comparing it needs no join.
  const isOwnId = found?.field.reference?.isList === false && rest.length === 1 && rest[0] === 'id'
  return isOwnId ? lastOperand(context, scope, position, prop, path) : undefined
}

function followed(
  context: Context,
  scope: Scope,
  from: Position,
  full: string,
  prop: string,
): Position | undefined {
  return fieldOf(context, from.collection, prop)
    ? joinRelation(context, scope, from, prop, full)
    : joinBackRelation(context, scope, from, prop)
}

function unknownField(full: string, prop: string, collection: AnyCollection) {
  const where = full === prop ? '' : ` in ${shortened(full)}`
  return badFilter(`There is no field "${shortened(prop)}" in ${collection.publicName}${where}`)
}

function joinRelation(
  context: Context,
  scope: Scope,
  from: Position,
  prop: string,
  full: string,
): Position | undefined {
  const reference = from.collection.fields[prop]?.reference
  if (!reference) {
    throw badFilter(`${shortened(prop)} in ${shortened(full)} is not a relation, so no name can follow it`)
  }
  const collection = collectionOf(context.catalog, reference.to)
  if (!collection) return undefined
  const key = `${from.key}/${prop}`
  const column = `${from.alias}.${quoted(prop)}`
  if (!reference.isList) {
    const alias = joinCollection(context, scope, key, collection, (each) => `${each}."id" = ${column}`)
    return { collection, alias, key, optional: true, many: from.many }
  }
  const { jsonItems, jsonOf } = context.catalog.dialect
  const ids = scope.join(`${key}:each`, (each) => ({
    sql: `${jsonItems(jsonOf(column))} AS ${each} ON TRUE`,
  }))
  const alias = joinCollection(context, scope, key, collection, (each) => `${each}."id" = ${ids}."value"`)
  return { collection, alias, key, optional: true, many: true }
}
