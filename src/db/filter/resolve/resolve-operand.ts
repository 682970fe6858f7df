import type { OperandAst } from '../language/ast.ts'
import { badFilter, shortened } from '../language/limits.ts'
import { NOTHING, type Operand } from '../sql/operand.ts'
import type { Scope } from '../sql/scope.ts'
import { type Context, collectionByName } from './context.ts'
import { callOperand } from './functions.ts'
import { joinCollection } from './join.ts'
import { MACROS } from './macros.ts'
import { pathOperand } from './path.ts'
import { requestOperand } from './request.ts'

/**
 * Compiles one side of a comparison to its SQL operand.
 * @throws AppError `invalid` for names that are not declared or that the caller may not use.
 */
export function resolveOperand(context: Context, scope: Scope, ast: OperandAst): Operand {
  switch (ast.kind) {
    case 'number':
      // A sum is REAL without affinity: compared with a text column it is converted to the text of a float.
      return {
        sql: `(${context.binder.literal(ast.value)} + 0.0)`,
        nature: 'value',
        type: 'number',
        bound: { literal: ast.value },
      }
    case 'text':
      return ast.value === ''
        ? { sql: "''", nature: 'empty', type: 'text', bound: { literal: '' } }
        : {
            sql: context.binder.literal(ast.value),
            nature: 'value',
            type: 'text',
            bound: { literal: ast.value },
          }
    case 'call':
      return callOperand(context, ast.name, ast.args, (argument) => resolveOperand(context, scope, argument))
    case 'identifier':
      return resolveIdentifier(context, scope, ast.name)
  }
}

function resolveIdentifier(context: Context, scope: Scope, name: string): Operand {
  const macro = MACROS.get(name)
  if (macro) {
    const source = (_: unknown, now: number) => macro(now)
    return { sql: context.binder.deferred(source), nature: 'value', type: 'any', bound: { source } }
  }
  const [first = '', ...rest] = name.split('.')
  if (first === '@request') return requestOperand(context, scope, name, rest)
  if (first === '@collection') return collectionOperand(context, scope, name, rest)
  const constant = constantOf(context, name)
  if (constant) return constant
  return fieldOperand(context, scope, name)
}

/** `null`, `true` and `false` in any case, unless the collection has a field of that name. */
function constantOf({ collection }: Context, name: string): Operand | undefined {
  if (Object.hasOwn(collection.fields, name)) return undefined
  switch (name.toLowerCase()) {
    case 'null':
      return NOTHING
    case 'true':
      return { sql: '1', nature: 'value', type: 'number' }
    case 'false':
      return { sql: '0', nature: 'value', type: 'number' }
    default:
      return undefined
  }
}

/** The value of a field of the tested record, or of a related one. */
export function fieldOperand(context: Context, scope: Scope, name: string): Operand {
  const { collection, alias } = context
  return pathOperand(context, scope, {
    full: name,
    props: name.split('.'),
    lenient: false,
    enter: () => ({ collection, alias, key: '', optional: false, many: false }),
  })
}

/** `@collection.name[:alias].path`: any record of a collection; equal names denote the same record. */
function collectionOperand(context: Context, scope: Scope, full: string, props: readonly string[]): Operand {
  const [named = '', ...path] = props
  const [name = '', label = ''] = named.split(':')
  const collection = collectionByName(context, name)
  if (!collection || path.length === 0) {
    throw badFilter(
      `${shortened(full)} is unknown; write @collection.NAME.FIELD with the name of a collection`,
    )
  }
  return pathOperand(context, scope, {
    full,
    props: path,
    lenient: false,
    enter: (each) => {
      const key = `@collection/${collection.name}:${label}`
      context.reads.followsBack = true
      const alias = joinCollection(context, each, key, collection, () => 'TRUE')
      return { collection, alias, key, optional: true, many: true }
    },
  })
}
