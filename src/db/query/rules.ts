import { messageOf } from '../../base/index.ts'
import {
  type Catalog,
  type Condition,
  compileFilter,
  isSuperuser,
  parseFilter,
  type RequestInfo,
} from '../filter/index.ts'
import type { AnyCollection } from '../schema/collection.ts'

/** The effect of a rule for a caller: a condition on rows `b`, or the same result for all rows. */
export type Access = Condition | 'everybody' | 'nobody'

/** The rules of collections, each compiled once per kind of account. */
export interface RuleBook {
  /**
   * The effect of `rule` for the caller of the request. `null` = superusers only, `''` = everybody;
   * superusers pass every rule.
   * @throws TypeError when the declared rule itself is invalid.
   */
  access(collection: AnyCollection, rule: string | null, requestInfo: RequestInfo): Access
}

/** Prefix of the parameters of rules. */
const RULE_PREFIX = 'r'

/** A rule book with an empty cache of one condition per declared rule and kind of account. */
export function createRuleBook(catalog: Catalog): RuleBook {
  const known = new Map<AnyCollection, Map<string, Condition>>()

  function compiled(collection: AnyCollection, rule: string, requestInfo: RequestInfo): Condition {
    const authCollection = requestInfo.auth?.collection
    const key = `${authCollection?.name ?? ''} ${rule}`
    const ofCollection = known.get(collection) ?? new Map<string, Condition>()
    known.set(collection, ofCollection)
    const before = ofCollection.get(key)
    if (before) return before
    const condition = compileRule(catalog, collection, rule, authCollection)
    ofCollection.set(key, condition)
    return condition
  }

  return {
    access(collection, rule, requestInfo) {
      if (rule === '' || isSuperuser(requestInfo)) return 'everybody'
      return rule === null ? 'nobody' : compiled(collection, rule, requestInfo)
    },
  }
}

function compileRule(
  catalog: Catalog,
  collection: AnyCollection,
  rule: string,
  authCollection: AnyCollection | undefined,
): Condition {
  try {
    const options = { ...catalog, collection, caller: 'rule', authCollection, prefix: RULE_PREFIX } as const
    return compileFilter(parseFilter(rule), options)
  } catch (cause) {
    // The sender of the request did not write the rule, so this is not an error of the request.
    throw new TypeError(`a rule of ${collection.name} is wrong: ${messageOf(cause)}`, { cause })
  }
}
