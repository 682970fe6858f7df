import { type AnyCollection, type AnyField, normalizedValue } from '../../../db/index.ts'
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
    const changed = field && name !== key ? modified(field, start, key, body[key]) : undefined
    if (changed === undefined) result.set(key, body[key])
    else result.set(name, changed)
  }
  return Object.fromEntries(result)
}

function modified(field: AnyField, start: unknown, key: string, operand: unknown): unknown {
  if (field.kind === 'number' || field.kind === 'seconds') {
    if (key.startsWith('+')) return undefined
    // What is no number stays none, and so is refused by validation.
    const by = Number(normalizedValue(field, operand))
    return addExactly(Number(normalizedValue(field, start)), key.endsWith('-') ? -by : by)
  }
  if (field.kind !== 'relations') return undefined
  const ids = listOf(field, start)
  const sent = listOf(field, operand)
  if (key.startsWith('+')) return [...new Set([...sent, ...ids])]
  return key.endsWith('+') ? [...new Set([...ids, ...sent])] : ids.filter((id) => !sent.includes(id))
}

/** Sums of decimal fractions as people expect them: 0.1 + 0.2 = 0.3. */
function addExactly(one: number, other: number): number {
  const sum = one + other
  const rounded = Math.round(sum * 1e6) / 1e6
  return Number.isFinite(rounded) && Math.abs(sum) < 1e9 ? rounded : sum
}

function listOf(field: AnyField, value: unknown): unknown[] {
  const list = normalizedValue(field, value)
  return Array.isArray(list) ? list : []
}
