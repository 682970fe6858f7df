import { superusers } from '../../collections/superusers.ts'
import type { Bindable } from '../../engine/sql.ts'
import type { AnyCollection } from '../../schema/collection.ts'

/** The account that sends a request. */
export interface Auth {
  readonly collection: AnyCollection
  /** The collection id that clients see. */
  readonly collectionId: string
  readonly record: {
    readonly id: string
    readonly email?: string
    readonly emailVisibility?: boolean
    readonly verified?: boolean
  }
}

/** The properties of a request that rules can use. */
export interface RequestInfo {
  /** Undefined for guests. */
  readonly auth?: Auth
  readonly method: string
  /** Why the record is read or written. */
  readonly context: 'default' | 'oauth2' | 'otp' | 'password' | 'batch' | 'realtime' | 'expand'
  readonly query: Readonly<Record<string, string>>
  /** By lower-case name with `_` instead of `-`. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, with `+` and `-` keys already applied. */
  readonly body: Readonly<Record<string, unknown>>
}

/** The empty request of a guest. */
export const NO_REQUEST: RequestInfo = { method: 'GET', context: 'default', query: {}, headers: {}, body: {} }

/** Computes a value to bind from the request; `now` in ms since the epoch. */
export type ValueSource = (requestInfo: RequestInfo, now: number) => Bindable

/** Whether the caller passes every rule. */
export function isSuperuser(requestInfo: RequestInfo): boolean {
  return requestInfo.auth?.collection.name === superusers.name
}

/** The value at `keys`; `set` is false when a key is missing. Inherited keys do not count. */
export function valueAt(root: unknown, keys: readonly string[]): { set: boolean; value: unknown } {
  let value = root
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      return { set: false, value: undefined }
    }
    // The length of an array is an own property, but not an element.
    if (Array.isArray(value) && !/^[0-9]+$/.test(key)) return { set: false, value: undefined }
    value = Reflect.get(value, key)
  }
  return { set: true, value }
}

/** A value of a request as SQL compares it: booleans as 0 and 1, lists and objects as JSON text. */
export function bindable(value: unknown): Bindable {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'boolean':
      return value ? 1 : 0
    default:
      return value === null || value === undefined ? null : JSON.stringify(value)
  }
}

/** The items of a value that may be one item or a list; none for the empty value. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null || value === '' ? [] : [value]
}
