import { KIB } from '../../base/index.ts'
import { JsonText, StoredJson } from './json-text.ts'

/**
 * Parsing megabytes of JSON takes tens of milliseconds, and most code that reads a record does not use its
 * large values. They are therefore parsed when they are first used. A spread of a record would use all of
 * them: it copies none that may be large, and TypeScript says so, see `LargeField`.
 */

/** Longer texts are parsed on first use, in UTF-16 code units. */
const MAX_EAGER_LENGTH = 64 * KIB

/** The texts that have not been parsed, and the values still in the database, by record and field. */
const unread = new WeakMap<object, Map<string, JsonText | StoredJson>>()

/**
 * Sets `record[name]` to the decoded value of a stored text, or to a property that decodes a long text once
 * it is read.
 */
export function setDecoded(
  record: Record<string, unknown>,
  name: string,
  stored: unknown,
  decode: (stored: unknown) => unknown,
  { isLarge = false } = {},
): void {
  if (isShort(stored)) {
    record[name] = decode(stored instanceof JsonText ? stored.text : stored)
    return
  }
  const text = stored instanceof JsonText ? stored : new JsonText(String(stored))
  const texts = noteUnread(record, name, text)
  const attributes = { enumerable: !isLarge, configurable: true }
  const replace = (value: unknown) => {
    texts.delete(name)
    Object.defineProperty(record, name, { value, writable: true, ...attributes })
    return value
  }
  Object.defineProperty(record, name, {
    get: () => replace(decode(text.text)),
    set: (value: unknown) => void replace(value),
    ...attributes,
  })
}

function noteUnread(record: object, name: string, value: JsonText | StoredJson) {
  const values = unread.get(record) ?? new Map<string, JsonText | StoredJson>()
  unread.set(record, values.set(name, value))
  return values
}

/** Leaves `record[name]` in the database; code that uses it nevertheless gets the result of `load`. */
export function setStored(
  record: Record<string, unknown>,
  name: string,
  value: StoredJson,
  load: () => unknown,
): void {
  noteUnread(record, name, value)
  Object.defineProperty(record, name, { get: load, enumerable: false, configurable: true })
}

/** The large values of a record that nobody has read, by field; undefined when there are none. */
export function unreadValues(record: object): ReadonlyMap<string, JsonText | StoredJson> | undefined {
  return unread.get(record)
}

function isShort(stored: unknown): boolean {
  if (stored instanceof JsonText) return (stored.bytes ?? stored.text).length <= MAX_EAGER_LENGTH
  return typeof stored !== 'string' || stored.length <= MAX_EAGER_LENGTH
}

/** A copy of a record, in which texts that have not been parsed stay so. */
export function copyRecord<R extends object>(
  record: R,
  decode: (name: string, stored: unknown) => unknown,
): R {
  const copy: Record<string, unknown> = {}
  for (const [name, { enumerable = false }] of Object.entries(Object.getOwnPropertyDescriptors(record))) {
    const text = unreadText(record, name)
    if (text === undefined) copy[name] = Reflect.get(record, name)
    else setDecoded(copy, name, text, (stored) => decode(name, stored), { isLarge: !enumerable })
  }
  // The copy has the same keys and values.
  return copy as R
}

/** The JSON text of `record[name]`, if it is long and has not been parsed. */
export function unreadText(record: object, name: string): JsonText | undefined {
  const value = unread.get(record)?.get(name)
  return value instanceof JsonText ? value : undefined
}

/**
 * Whether the JSON text of `record[name]` has more than `limit` bytes, without parsing the value or writing
 * more than the limit.
 */
export function isJsonLargerThan(
  record: Readonly<Record<string, unknown>>,
  name: string,
  limit: number,
): boolean {
  const value = unread.get(record)?.get(name)
  if (value instanceof StoredJson) return value.bytes > limit
  if (value !== undefined) return value.byteLength > limit
  return countBytes(record[name], limit) > limit
}

/** The bytes of the JSON text of a value; some number above `limit` as soon as it is exceeded. */
function countBytes(value: unknown, limit: number): number {
  if (typeof value === 'string') {
    return value.length > limit ? value.length : Buffer.byteLength(JSON.stringify(value))
  }
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value)).length
  // Brackets and separators: one more than there are members, at least two.
  let bytes = 1
  const isList = Array.isArray(value)
  for (const each of isList ? value : Object.keys(value)) {
    bytes += isList ? 1 : Buffer.byteLength(each) + 4
    bytes += countBytes(isList ? each : Reflect.get(value, each), limit - bytes)
    if (bytes > limit) return bytes
  }
  return Math.max(2, bytes)
}
