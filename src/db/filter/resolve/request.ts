import type { Field } from '../../schema/field.ts'
import { badFilter, shortened } from '../language/limits.ts'
import { NOTHING, type Operand } from '../sql/operand.ts'
import { bindable, type RequestInfo, valueAt } from '../sql/request-info.ts'
import type { Scope } from '../sql/scope.ts'
import type { Context } from './context.ts'
import { type Modifier, splitModifier } from './modifier.ts'
import { pathOperand } from './path.ts'
import { bodyOperand } from './request-body.ts'

/** Properties of an account that are known without reading its row. */
const PLAIN_AUTH = ['id', 'collectionId', 'collectionName', 'email', 'emailVisibility', 'verified']

/**
 * The operand of `@request.…`; values absent from the request are NULL. `props` are the names after
 * `@request`.
 * @throws AppError `invalid` for unknown areas.
 */
export function requestOperand(
  context: Context,
  scope: Scope,
  full: string,
  props: readonly string[],
): Operand {
  const [area, ...rest] = props
  switch (area) {
    case 'method':
    case 'context':
      if (rest.length === 0) return requestValue(context, (requestInfo) => requestInfo[area])
      break
    case 'query':
    case 'headers':
      if (rest.length > 0) return sentOperand(context, area, rest)
      break
    case 'body':
      if (rest.length > 0) return bodyOperand(context, scope, full, rest, sentOperand)
      break
    case 'auth':
      if (rest.length > 0) return authOperand(context, scope, full, rest)
      break
    default:
  }
  throw badFilter(
    `${shortened(full)} is unknown; @request has method, context, auth.NAME, query.NAME, headers.NAME and body.NAME`,
  )
}

function requestValue({ binder }: Context, read: (requestInfo: RequestInfo) => unknown): Operand {
  const source = (requestInfo: RequestInfo) => bindable(read(requestInfo))
  return { sql: binder.deferred(source), nature: 'request', type: 'any', bound: { source } }
}

function authOperand(context: Context, scope: Scope, full: string, props: readonly string[]): Operand {
  const { authCollection: collection, catalog } = context
  const [name = ''] = props
  if (props.length === 1 && PLAIN_AUTH.includes(name)) {
    return requestValue(context, ({ auth }) => {
      if (name === 'collectionId') return auth?.collectionId
      if (name === 'collectionName') return auth && catalog.names.publicName(auth.collection)
      return auth && Reflect.get(auth.record, name)
    })
  }
  if (!collection) return NOTHING
  return pathOperand(context, scope, {
    full,
    props,
    lenient: true,
    enter: (each) => {
      const key = '@request.auth'
      const id = context.binder.deferred(({ auth }) => auth?.record.id ?? null)
      const alias = each.join(key, (fresh) => ({
        sql: `"${collection.name}" AS ${fresh} ON ${fresh}."id" = ${id}`,
      }))
      return { collection, alias, key, optional: true, many: false }
    },
  })
}

/** A value as it was sent: query, headers, and body fields without a declared relation. */
function sentOperand(
  context: Context,
  area: 'query' | 'headers' | 'body',
  props: readonly string[],
  field?: Field,
): Operand {
  const { name, modifier } = splitModifier(props.at(-1) ?? '')
  const keys = [...props.slice(0, -1), name]
  const read = (requestInfo: RequestInfo) => valueAt(requestInfo[area], keys)
  return modified(context, modifier, read, field)
}

function modified(
  context: Context,
  modifier: Modifier | undefined,
  read: (requestInfo: RequestInfo) => { set: boolean; value: unknown },
  field: Field | undefined,
): Operand {
  const value = (requestInfo: RequestInfo) => {
    const sent = read(requestInfo).value
    return field ? field.kind.comparable(sent) : sent
  }
  switch (modifier) {
    case undefined:
      return requestValue(context, value)
    case 'lower': {
      // SQLite converts both sides to lower case, so that both follow the same ASCII rule.
      const { sql, nature } = requestValue(context, value)
      return { sql: `LOWER(${context.catalog.dialect.text(sql)})`, nature, type: 'text' }
    }
    case 'isset':
      return { ...requestValue(context, (requestInfo) => read(requestInfo).set), nature: 'value' }
    default:
      throw badFilter(`:${modifier} works for declared fields of @request.body only`)
  }
}
