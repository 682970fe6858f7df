import type { AnyCollection } from '../../../db/index.ts'
import type { AnyRecord, Values } from '../behaviour.ts'

/** The field that a key such as `seconds+`, `+targets` or `targets-` is about. */
export function plainName(key: string): string {
  return key.replace(/^\+|[+-]$/g, '')
}

/**
 * What was sent, with modifiers replaced by their outcome under the plain name: `+` and `-` behind a number add
 * and subtract; behind a list they append and remove, `+` in front prepends. Shorter keys come first, so that a
 * plain value is where modifiers begin. Names without a field, and modifiers that the kind of field does not
 * have, stay as they are.
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
