import type { AnyCollection } from '../../../db/index.ts'
import type { AnyRecord, Values } from '../behavior.ts'

/** The field name in a key such as `seconds+`, `+targets` or `targets-`. */
export function plainName(key: string): string {
  return key.replace(/^\+|[+-]$/g, '')
}

/**
 * Replaces modifiers by their result under the plain name: a trailing `+` or `-` adds to or subtracts from a
 * number, and appends to or removes from a list; a leading `+` prepends to a list. Shorter keys are applied
 * first, so that modifiers start from a plain value in the same body. Unknown names, and modifiers that the
 * kind of the field does not support, are left unchanged.
 */
export function applyModifiers(
  collection: AnyCollection,
  before: AnyRecord | undefined,
  body: Values,
): Values {
  const result = new Map<string, unknown>()
  for (const key of Object.keys(body).toSorted((one, other) => one.length - other.length)) {
    const name = plainName(key)
    const field = Object.hasOwn(collection.fields, name) ? collection.fields[name] : undefined
    const start = result.has(name) ? result.get(name) : before?.[name]
    const changed = name === key ? undefined : field?.kind.modify(modifierOf(key), start, body[key])
    if (changed === undefined) result.set(key, body[key])
    else result.set(name, changed)
  }
  return Object.fromEntries(result)
}

function modifierOf(key: string) {
  if (key.startsWith('+')) return 'prepend'
  return key.endsWith('+') ? 'add' : 'subtract'
}
