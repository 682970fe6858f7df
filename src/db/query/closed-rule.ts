import { type FilterAst, isSuperuser, parseFilter, type RequestInfo } from '../filter/index.ts'

type Compare = FilterAst & { kind: 'compare' }

/**
 * Whether a rule refuses the request whatever its body and record are: a term that every record has to meet
 * compares the login or the context of the request with a text, and is false. `null` = superusers only.
 */
export function isClosedTo(rule: string | null, requestInfo: RequestInfo): boolean {
  if (isSuperuser(requestInfo)) return false
  if (rule === null) return true
  return rule !== '' && isFalse(parseFilter(rule), requestInfo)
}

function isFalse(ast: FilterAst, requestInfo: RequestInfo): boolean {
  switch (ast.kind) {
    case 'and':
      return ast.terms.some((term) => isFalse(term, requestInfo))
    case 'or':
      return ast.terms.every((term) => isFalse(term, requestInfo))
    case 'compare':
      return isFalseComparison(ast, requestInfo)
  }
}

function isFalseComparison({ left, operator, right }: Compare, requestInfo: RequestInfo): boolean {
  if (left.kind !== 'identifier' || right.kind !== 'text') return false
  const value = knownValue(left.name, requestInfo)
  if (value === undefined) return false
  if (operator === '=') return value !== right.value
  return operator === '!=' && value === right.value
}

/** The value of an operand that depends neither on the body nor on a record. */
function knownValue(name: string, { auth, context }: RequestInfo): string | undefined {
  if (name === '@request.auth.id') return auth ? String(auth.record.id) : ''
  return name === '@request.context' ? context : undefined
}
