import { messageOf } from '../../base/index.ts'
import {
  type Catalogue,
  type Condition,
  compileFilter,
  isSuperuser,
  parseFilter,
  type RequestFacts,
} from '../filter/index.ts'
import type { AnyCollection } from '../schema/collection.ts'

/** What a rule means for a caller: a condition on rows `b`, or one answer for all rows. */
export type Access = Condition | 'everybody' | 'nobody'

/** Rules of collections, each compiled once per kind of account. */
export interface RuleBook {
  /**
   * What `rule` means for the caller of `facts`. `null` is for superusers only, `''` for everybody, and
   * superusers pass every rule.
   * @throws TypeError when the declared rule itself is wrong.
   */
  access(collection: AnyCollection, rule: string | null, facts: RequestFacts): Access
}

/** Parameters of rules begin with this. */
const RULE_PREFIX = 'r'

/** A rule book with an empty memory. It remembers one condition per declared rule and kind of account. */
export function createRuleBook(catalogue: Catalogue): RuleBook {
  const known = new Map<AnyCollection, Map<string, Condition>>()

  function compiled(collection: AnyCollection, rule: string, facts: RequestFacts): Condition {
    const authCollection = facts.auth?.collection
    const key = `${authCollection?.name ?? ''} ${rule}`
    const ofCollection = known.get(collection) ?? new Map<string, Condition>()
    known.set(collection, ofCollection)
    const before = ofCollection.get(key)
    if (before) return before
    const condition = compileRule(catalogue, collection, rule, authCollection)
    ofCollection.set(key, condition)
    return condition
  }

  return {
    access(collection, rule, facts) {
      if (rule === '' || isSuperuser(facts)) return 'everybody'
      return rule === null ? 'nobody' : compiled(collection, rule, facts)
    },
  }
}

function compileRule(
  catalogue: Catalogue,
  collection: AnyCollection,
  rule: string,
  authCollection: AnyCollection | undefined,
): Condition {
  try {
    const options = { ...catalogue, collection, caller: 'rule', authCollection, prefix: RULE_PREFIX } as const
    return compileFilter(parseFilter(rule), options)
  } catch (cause) {
    // Nobody who makes a request wrote it, so it is no error of theirs.
    throw new TypeError(`a rule of ${collection.name} is wrong: ${messageOf(cause)}`, { cause })
  }
}
