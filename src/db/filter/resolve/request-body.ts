import { quoted } from '../../engine/sql.ts'
import { columnOf } from '../../schema/collection.ts'
import type { Field } from '../../schema/field.ts'
import type { Reference } from '../../schema/reference.ts'
import { NOTHING, type Operand } from '../sql/operand.ts'
import { itemsOf, type RequestInfo } from '../sql/request-info.ts'
import type { Scope } from '../sql/scope.ts'
import { type Context, collectionOf } from './context.ts'
import { assertHasItems } from './last-field.ts'
import { splitModifier } from './modifier.ts'
import { pathOperand } from './path.ts'

/** Resolves a value as it was sent. */
type Sent = (context: Context, area: 'body', props: readonly string[], field?: Field) => Operand

/** The operand of `@request.body.…`; names of declared fields support their modifiers and relations. */
export function bodyOperand(
  context: Context,
  scope: Scope,
  full: string,
  props: readonly string[],
  sent: Sent,
): Operand {
  const [first = '', ...rest] = props
  const { name, modifier } = splitModifier(first)
  const declared = Object.hasOwn(context.collection.fields, name)
    ? context.collection.fields[name]
    : undefined
  if (!declared) return sent(context, 'body', props)
  if (rest.length > 0) {
    const { reference } = declared
    if (!reference) return sent(context, 'body', props)
    const ids = (requestInfo: RequestInfo) => JSON.stringify(sentItems(requestInfo, name, declared))
    return relatedOperand(context, scope, full, name, { reference, ids }, rest)
  }
  if (modifier === 'length' || modifier === 'each') assertHasItems(declared, name, `:${modifier}`)
  switch (modifier) {
    case 'length':
      return {
        sql: context.binder.deferred((requestInfo) => sentItems(requestInfo, name, declared).length),
        nature: 'value',
        type: 'number',
      }
    case 'each':
      return eachOperand(context, scope, name, declared)
    case 'changed':
      return changedOperand(context, name, declared)
    default:
      return sent(context, 'body', props, declared)
  }
}

/**
 * The ids or choices in the body. Of several for a single-valued field only the last counts, as when it is
 * stored.
 */
function sentItems(requestInfo: RequestInfo, name: string, field: Field): readonly unknown[] {
  const items = itemsOf(Object.hasOwn(requestInfo.body, name) ? requestInfo.body[name] : undefined)
  return field.kind.items === 'many' ? items : items.slice(-1)
}

function eachOperand(context: Context, scope: Scope, name: string, field: Field): Operand {
  const items = (requestInfo: RequestInfo) => JSON.stringify(sentItems(requestInfo, name, field))
  const at = (each: Scope): Operand => {
    const alias = each.join(`@request.body/${name}:each`, (fresh) => ({
      sql: `${context.catalog.dialect.jsonItems(context.binder.deferred(items))} AS ${fresh} ON TRUE`,
    }))
    return { sql: `${alias}."value"`, nature: 'column', type: 'text' }
  }
  const operand = at(scope)
  return field.kind.items === 'many' ? { ...operand, many: at } : operand
}

/** Whether the body contains another value than the stored one: 1 or 0. */
function changedOperand({ alias, binder }: Context, name: string, field: Field): Operand {
  const isSent = binder.deferred((requestInfo) => (Object.hasOwn(requestInfo.body, name) ? 1 : 0))
  const value = binder.deferred(
    (requestInfo) => field.kind.encode(field.kind.normalize(requestInfo.body[name])) ?? null,
  )
  const column = `${alias}.${quoted(columnOf(name, field))}`
  const isChanged = `${isSent} = 1 AND ${value} IS DISTINCT FROM ${column}`
  return { sql: `CASE WHEN ${isChanged} THEN 1 ELSE 0 END`, nature: 'strict', type: 'number' }
}

/** A path that starts at the record that the body refers to. */
function relatedOperand(
  context: Context,
  scope: Scope,
  full: string,
  name: string,
  { reference, ids }: { reference: Reference; ids: (requestInfo: RequestInfo) => string },
  props: readonly string[],
): Operand {
  const collection = collectionOf(context.catalog, reference.to)
  if (!collection) return NOTHING
  return pathOperand(context, scope, {
    full,
    props,
    lenient: true,
    enter: (each) => {
      const key = `@request.body/${name}`
      const alias = each.join(key, (fresh) => ({
        sql: `${quoted(collection.name)} AS ${fresh} ON ${fresh}."id" IN ${context.catalog.dialect.jsonTexts(context.binder.deferred(ids))}`,
      }))
      return { collection, alias, key, optional: true, many: reference.isList }
    },
  })
}
