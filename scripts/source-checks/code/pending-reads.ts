import { lineOf } from '../../source-text.ts'
import type { Breach } from '../breach.ts'
import type { SourceFile } from '../source-tree.ts'

/** Where functions work inside transactions. */
const CHECKED = /^src\/(server|db\/(store|journal|hooks|collections|sums))\//
/** The types of a transaction as a parameter. */
const TRANSACTION = /:\s*(?:Pick<)?(?:Tx|ReadTx|HookTx|SqlReader|SqlWriter)\b/g
/** The type of a function without parameters that returns a value, not a promise. */
const THUNK = /(?<![\w)>])\(\) => (?!void\b|Promise\b|undefined\b)/
/** A member without parameters of what the store is called with. */
const MEMBER = /^ +(?:readonly )?\w+\??(?:: \(\) =>|\(\): [^{\n]*$)/gm
const STORE = /^src\/db\//
const RETURNS_FUNCTION = /^\)\s*(?::|=>)\s*\((?:[^()]|\([^()]*\))*\)\s*=>/

/** Where the parentheses around a place open and close. */
function parenthesesAround(code: string, place: number): { start: number; end: number } | undefined {
  const walk = (step: 1 | -1, own: string, other: string) => {
    let depth = 0
    for (let at = place; at >= 0 && at < code.length; at += step) {
      const mark = code.charAt(at)
      if (mark === own && depth === 0) return at
      if (mark === own) depth -= 1
      if (mark === other) depth += 1
    }
    return undefined
  }
  const [start, end] = [walk(-1, '(', ')'), walk(1, ')', '(')]
  return start === undefined || end === undefined ? undefined : { start, end }
}

/**
 * Functions that get a transaction, and get or return a function that can read or write in it later: then the
 * order of calls is not the order of reads. What is read is a query, and what it found a value.
 */
export function checkPendingReads({ file, code }: SourceFile): Breach[] {
  if (!CHECKED.test(file)) return []
  const places = [...code.matchAll(TRANSACTION)].flatMap(({ index }) => {
    const found = parenthesesAround(code, index)
    if (!found) return []
    const isPending = THUNK.test(code.slice(found.start, found.end))
    return isPending || RETURNS_FUNCTION.test(code.slice(found.end)) ? [found.start] : []
  })
  const members = STORE.test(file) ? [...code.matchAll(MEMBER)].map(({ index }) => index) : []
  const reason = 'pass a query, or what it has found: src/db/engine/query.ts'
  return [...new Set([...places, ...members])].map((start) => ({
    file,
    line: lineOf(code, start),
    rule: 'pending read',
    reason,
  }))
}
