import type { FilterAst, OperandAst } from './ast.ts'
import { type Token, tokens } from './lexer.ts'
import {
  badFilter,
  MAX_BRACKETS,
  MAX_COMPARISONS,
  MAX_FILTER_CHARACTERS,
  MAX_FUNCTION_DEPTH,
} from './limits.ts'

/** The position of the parser. */
interface Cursor {
  next(): Token
  peek(): Token
  comparisons: number
}

/**
 * Parses a filter or a rule.
 * @throws AppError `invalid`, reason `bad_filter`, with the position of the error.
 */
export function parseFilter(text: string): FilterAst {
  if (text.length > MAX_FILTER_CHARACTERS) {
    throw badFilter(`The filter has ${text.length} characters; at most ${MAX_FILTER_CHARACTERS} are allowed`)
  }
  const all = tokens(text)
  const last: Token = all.at(-1) ?? { kind: 'end', at: 1 }
  let index = 0
  const cursor: Cursor = {
    next: () => all[index++] ?? last,
    peek: () => all[index] ?? last,
    comparisons: 0,
  }
  if (cursor.peek().kind === 'end') {
    throw badFilter('The filter is blank; leave it out, or write a condition such as id = "ID"')
  }
  const ast = parseOr(cursor, 0)
  const rest = cursor.next()
  if (rest.kind !== 'end') throw badFilter(`Write && or || before character ${rest.at} of the filter`)
  return ast
}

function parseOr(cursor: Cursor, depth: number): FilterAst {
  return parseJoined(cursor, 'or', () => parseJoined(cursor, 'and', () => parseTerm(cursor, depth)))
}

function parseJoined(cursor: Cursor, join: 'and' | 'or', parse: () => FilterAst): FilterAst {
  const first = parse()
  const terms = [first]
  for (let token = cursor.peek(); token.kind === 'join' && token.join === join; token = cursor.peek()) {
    cursor.next()
    terms.push(parse())
  }
  return terms.length === 1 ? first : { kind: join, terms }
}

function parseTerm(cursor: Cursor, depth: number): FilterAst {
  if (cursor.peek().kind === '(') {
    const open = cursor.next()
    if (depth >= MAX_BRACKETS) throw badFilter(`The filter has more than ${MAX_BRACKETS} nested brackets`)
    const inner = parseOr(cursor, depth + 1)
    if (cursor.next().kind !== ')') throw badFilter(`The bracket at character ${open.at} is not closed`)
    return inner
  }
  cursor.comparisons++
  if (cursor.comparisons > MAX_COMPARISONS) {
    throw badFilter(`The filter has more than ${MAX_COMPARISONS} comparisons`)
  }
  const left = parseOperand(cursor, 0)
  const sign = cursor.next()
  if (sign.kind !== 'operator') throw badFilter(`An operator such as = is missing at character ${sign.at}`)
  const right = parseOperand(cursor, 0)
  return { kind: 'compare', left, operator: sign.operator, any: sign.any, right }
}

function parseOperand(cursor: Cursor, depth: number): OperandAst {
  const token = cursor.next()
  switch (token.kind) {
    case 'identifier':
      return { kind: 'identifier', name: token.name }
    case 'number':
      return { kind: 'number', value: token.value }
    case 'text':
      return { kind: 'text', value: token.value }
    case 'call':
      return { kind: 'call', name: token.name, args: parseArguments(cursor, depth + 1) }
    case 'end':
      throw badFilter('The filter ends, but a name, a number or a quoted text is missing')
    default:
      throw badFilter(`A name, a number or a quoted text is missing at character ${token.at}`)
  }
}

function parseArguments(cursor: Cursor, depth: number): OperandAst[] {
  if (depth > MAX_FUNCTION_DEPTH) {
    throw badFilter(`The filter has more than ${MAX_FUNCTION_DEPTH} nested functions`)
  }
  const args = [parseOperand(cursor, depth)]
  for (let token = cursor.next(); token.kind !== ')'; token = cursor.next()) {
    if (token.kind !== ',') throw badFilter(`A comma or ) is missing at character ${token.at}`)
    args.push(parseOperand(cursor, depth))
  }
  return args
}
