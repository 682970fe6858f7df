import { AppError } from '../../base/index.ts'
import {
  type Caller,
  type Catalogue,
  type CompileOptions,
  type Condition,
  compileFilter,
  compileSort,
  isSuperuser,
  type Order,
  parseFilter,
  parseSort,
  type RequestFacts,
} from '../filter/index.ts'
import type { AnyCollection } from '../schema/collection.ts'

/** Who a request's own texts are compiled for. */
export function callerOf(facts: RequestFacts): Caller {
  return isSuperuser(facts) ? 'superuser' : 'client'
}

/**
 * Compiles the filter of a request; undefined when it is blank.
 * @throws AppError `invalid` when it cannot be understood, `forbidden` when only superusers may ask that.
 */
export function clientFilter(
  catalogue: Catalogue,
  collection: AnyCollection,
  text: string,
  facts: RequestFacts,
): Condition | undefined {
  if (text.trim() === '') return undefined
  assertMayUse(text, facts)
  return compileFilter(parseFilter(text), optionsOf(catalogue, collection, facts, 'f'))
}

/** Compiles the sort of a request. Throws as `clientFilter` does. */
export function clientSort(
  catalogue: Catalogue,
  collection: AnyCollection,
  text: string,
  facts: RequestFacts,
): Order {
  assertMayUse(text, facts)
  return compileSort(parseSort(text), optionsOf(catalogue, collection, facts, 's'))
}

function optionsOf(
  catalogue: Catalogue,
  collection: AnyCollection,
  facts: RequestFacts,
  prefix: string,
): CompileOptions {
  const authCollection = facts.auth?.collection
  return { ...catalogue, collection, caller: callerOf(facts), authCollection, prefix }
}

function assertMayUse(text: string, facts: RequestFacts): void {
  if (isSuperuser(facts)) return
  for (const mark of ['@request', '@collection']) {
    if (text.includes(`${mark}.`)) throw new AppError('forbidden', `Only superusers can filter by ${mark}.`)
  }
}
