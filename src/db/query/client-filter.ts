import { AppError } from '../../base/index.ts'
import {
  type Caller,
  type Catalog,
  type CompileOptions,
  type Condition,
  compileFilter,
  compileSort,
  isSuperuser,
  type Order,
  parseFilter,
  parseSort,
  type RequestInfo,
} from '../filter/index.ts'
import type { AnyCollection } from '../schema/collection.ts'

/** Whose permissions apply to the filter and sort of a request. */
export function callerOf(requestInfo: RequestInfo): Caller {
  return isSuperuser(requestInfo) ? 'superuser' : 'client'
}

/**
 * Compiles the filter of a request; undefined when there is none. As in the record-store pattern, a filter of
 * white space or comments alone is an error: whoever sent it meant to send a condition.
 * @throws AppError `invalid` when it cannot be parsed, `forbidden` when it uses names reserved for
 *   superusers.
 */
export function clientFilter(
  catalog: Catalog,
  collection: AnyCollection,
  text: string,
  requestInfo: RequestInfo,
): Condition | undefined {
  if (text === '') return undefined
  assertMayUse(text, requestInfo)
  return compileFilter(parseFilter(text), optionsOf(catalog, collection, requestInfo, 'f'))
}

/** Compiles the sort of a request. Throws as `clientFilter` does. */
export function clientSort(
  catalog: Catalog,
  collection: AnyCollection,
  text: string,
  requestInfo: RequestInfo,
): Order {
  assertMayUse(text, requestInfo)
  return compileSort(parseSort(text), optionsOf(catalog, collection, requestInfo, 's'))
}

function optionsOf(
  catalog: Catalog,
  collection: AnyCollection,
  requestInfo: RequestInfo,
  prefix: string,
): CompileOptions {
  const authCollection = requestInfo.auth?.collection
  return { ...catalog, collection, caller: callerOf(requestInfo), authCollection, prefix }
}

function assertMayUse(text: string, requestInfo: RequestInfo): void {
  if (isSuperuser(requestInfo)) return
  for (const mark of ['@request', '@collection']) {
    if (text.includes(`${mark}.`)) throw new AppError('forbidden', `Only superusers can filter by ${mark}.`)
  }
}
