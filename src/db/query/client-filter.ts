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

/** The filters and sorts of requests, compiled. */
interface ClientConditions {
  /**
   * Undefined without a filter. As in the record-store pattern, a filter of white space or comments alone is
   * an error: whoever sent it meant to send a condition.
   * @throws AppError `invalid` when it cannot be parsed, `forbidden` when it uses names reserved for
   *   superusers.
   */
  filter(collection: AnyCollection, text: string, requestInfo: RequestInfo): Condition | undefined
  /** Throws as `filter` does. */
  sort(collection: AnyCollection, text: string, requestInfo: RequestInfo): Order
}

/** Compiles filters and sorts, and keeps the recent ones: most requests repeat those of others. */
export function createClientConditions(catalog: Catalog): ClientConditions {
  const filter = compiledOnce((collection, text, requestInfo) =>
    compileFilter(parseFilter(text), optionsOf(catalog, collection, requestInfo, 'f')),
  )
  const sort = compiledOnce((collection, text, requestInfo) =>
    compileSort(parseSort(text), optionsOf(catalog, collection, requestInfo, 's')),
  )
  return {
    filter: (collection, text, requestInfo) =>
      text === '' ? undefined : filter(collection, text, requestInfo),
    sort,
  }
}

/** Conditions that are kept; clients choose the texts. */
const MAX_KNOWN = 200
/** Longer texts are compiled each time. */
const MAX_KNOWN_CHARACTERS = 500

type Compile<T> = (collection: AnyCollection, text: string, requestInfo: RequestInfo) => T

function compiledOnce<T>(compile: Compile<T>): Compile<T> {
  const known = new Map<string, T>()
  return (collection, text, requestInfo) => {
    assertMayUse(text, requestInfo)
    // All of the request that a condition depends on; values are bound.
    const key = `${collection.name} ${requestInfo.auth?.collection.name} ${text}`
    const before = known.get(key)
    if (before) return before
    const compiled = compile(collection, text, requestInfo)
    if (text.length > MAX_KNOWN_CHARACTERS) return compiled
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(key, compiled)
    return compiled
  }
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
