import { Fault } from '../fault.ts'
import { CONSTANTS } from '../values/constants.ts'
import type { BinaryOperator } from '../values/operator.ts'
import { floatValue } from '../values/values.ts'
import type { Expression, IndexNode, RangeNode, TypeNode } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { foldBinary, foldUnary } from './fold.ts'
import { parseHardware, parseLiteral } from './parse-literal.ts'
import type { TokenKind } from './tokens.ts'

interface Operator {
  precedence: number
  operator: BinaryOperator
}

const POWER = 12
const UNARY = 11

const levels: readonly (readonly BinaryOperator[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '>', '<=', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
]
const operators3 = new Map<TokenKind, Operator>([['**', { precedence: POWER, operator: '**' }]])
for (const [level, members] of levels.entries()) {
  for (const operator of members) operators3.set(operator, { precedence: level + 1, operator })
}
/** OpenQASM 2 has only arithmetic operators, and `^` is the power operator. */
const operators2 = new Map<TokenKind, Operator>([['^', { precedence: POWER, operator: '**' }]])
for (const operator of ['+', '-', '*', '/'] as const) {
  const known = operators3.get(operator)
  if (known !== undefined) operators2.set(operator, known)
}

/** Parses an expression; throws a fault at the first token that cannot belong to one. */
export function parseExpression(p: Cursor): Expression {
  return parseBinary(p, 1)
}

function parseBinary(p: Cursor, weakest: number): Expression {
  p.enter()
  const operators = p.version === 2 ? operators2 : operators3
  let left = parseUnary(p)
  for (;;) {
    const found = operators.get(p.kind)
    if (found === undefined || found.precedence < weakest) break
    p.next()
    const right = parseBinary(p, found.precedence === POWER ? POWER : found.precedence + 1)
    left = foldBinary({ kind: 'binary', at: left.at, operator: found.operator, left, right })
  }
  p.leave()
  return left
}

function parseUnary(p: Cursor): Expression {
  const { at, kind } = p
  if (kind === '-' || (p.version === 3 && (kind === '~' || kind === '!'))) {
    p.next()
    return foldUnary({ kind: 'unary', at, operator: kind, operand: parseBinary(p, UNARY) })
  }
  if (kind === '+' && p.version === 2) {
    p.next()
    return parseBinary(p, UNARY)
  }
  return parsePostfix(p, parsePrimary(p))
}

/** The indices after a name or value, if there are any. */
export function parsePostfix(p: Cursor, primary: Expression): Expression {
  let base = primary
  for (let depth = 0; p.kind === '['; depth++) {
    if (depth > p.limits.nesting) throw new Fault('nesting_too_deep', p.at, 'Too many indices in a row')
    base = { kind: 'index', at: base.at, base, index: parseIndex(p) }
  }
  return base
}

function parsePrimary(p: Cursor): Expression {
  switch (p.kind) {
    case 'integer':
    case 'real':
    case 'imaginary':
    case 'timing':
    case 'true':
    case 'false':
    case 'string':
      return parseLiteral(p)
    case '(':
      return parseParenthesis(p)
    case 'hardware':
      return parseHardware(p)
    case 'durationof':
      return parseDurationOf(p)
    case 'identifier':
    case 'pow':
      return parseNameOrCall(p)
    default:
      if (p.version === 3 && isTypeStart(p.kind)) return parseCast(p)
      throw p.unexpected('an expression')
  }
}

function parseParenthesis(p: Cursor): Expression {
  p.next()
  const inner = parseBinary(p, 1)
  p.expect(')')
  return inner
}

function parseDurationOf(p: Cursor): Expression {
  const { at } = p
  p.next()
  p.expect('(')
  if (p.kind !== '{') throw p.unexpected('"{"')
  p.lexer.skipBlock()
  p.expect(')')
  return { kind: 'durationof', at }
}

function parseNameOrCall(p: Cursor): Expression {
  const { at } = p
  const isPow = p.kind === 'pow'
  const name = p.lexer.word
  p.next()
  if (p.kind === '(') return { kind: 'call', at, name, arguments: parseArguments(p) }
  if (isPow) throw p.unexpected('"("')
  const constant = CONSTANTS.get(name)
  if (constant !== undefined && (p.version === 3 || name === 'pi')) {
    return { kind: 'literal', at, value: floatValue(constant) }
  }
  return { kind: 'name', at, name }
}

/** `(a, b)`, possibly empty. */
export function parseArguments(p: Cursor): Expression[] {
  p.expect('(')
  if (p.accept(')')) return []
  const values = p.list(() => parseExpression(p), ')')
  p.expect(')')
  return values
}

function parseCast(p: Cursor): Expression {
  const { at } = p
  const type = parseType(p)
  p.expect('(')
  const operand = parseExpression(p)
  p.expect(')')
  return { kind: 'cast', at, type, operand }
}

/** `[...]`: a set in braces, or a list of expressions and ranges. */
function parseIndex(p: Cursor): IndexNode {
  const at = p.expect('[')
  if (p.kind === '{') {
    const elements = parseSet(p)
    p.expect(']')
    return { kind: 'set', at, elements }
  }
  const items = p.list(() => parseRangeOrExpression(p), ']')
  p.expect(']')
  return { kind: 'list', at, items }
}

/** `{a, b}` with at least one element. */
export function parseSet(p: Cursor): Expression[] {
  p.expect('{')
  const elements = p.list(() => parseExpression(p), '}')
  p.expect('}')
  return elements
}

/** `a`, `a:b`, `a:step:b`; the bounds of a range are optional. */
export function parseRangeOrExpression(p: Cursor): Expression | RangeNode {
  const { at } = p
  const start = p.kind === ':' ? undefined : parseExpression(p)
  if (p.kind !== ':' && start !== undefined) return start
  p.expect(':')
  const second = endsRange(p.kind) ? undefined : parseExpression(p)
  if (!p.accept(':')) return { kind: 'range', at, start, step: undefined, stop: second }
  const third = endsRange(p.kind) ? undefined : parseExpression(p)
  return { kind: 'range', at, start, step: second, stop: third }
}

function endsRange(kind: TokenKind): boolean {
  return kind === ']' || kind === ',' || kind === ':'
}

/** A gate operand: a name with indices, or a hardware qubit. */
export function parseOperand(p: Cursor): Expression {
  if (p.kind === 'hardware' && p.version === 3) return parseHardware(p)
  const { at } = p
  const name = p.expectName()
  return parsePostfix(p, { kind: 'name', at, name })
}

/** An initial value, assigned value or alias: also `measure`, `++` and array literals where allowed. */
export function parseValue(p: Cursor): Expression {
  const { at } = p
  if (p.kind === 'measure') {
    p.next()
    return { kind: 'measure', at, operand: parseOperand(p) }
  }
  if (p.kind === '{') return parseArrayLiteral(p)
  const first = parseExpression(p)
  if (p.kind !== '++') return first
  const parts = [first]
  while (p.accept('++')) parts.push(parseExpression(p))
  return { kind: 'concat', at, parts }
}

function parseArrayLiteral(p: Cursor): Expression {
  p.enter()
  const at = p.expect('{')
  const item = () => (p.kind === '{' ? parseArrayLiteral(p) : parseExpression(p))
  const elements = p.kind === '}' ? [] : p.list(item, '}')
  p.expect('}')
  p.leave()
  return { kind: 'array_literal', at, elements }
}

const typeStarts: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'bit',
  'int',
  'uint',
  'float',
  'angle',
  'bool',
  'duration',
  'stretch',
  'complex',
  'array',
])

/** Whether a scalar or array type begins with this token. */
export function isTypeStart(kind: TokenKind): boolean {
  return typeStarts.has(kind)
}

/** `[size]`, if present. */
export function parseDesignator(p: Cursor) {
  if (!p.accept('[')) return undefined
  const size = parseExpression(p)
  p.expect(']')
  return size
}

/** A scalar or array type. */
export function parseType(p: Cursor): TypeNode {
  return p.kind === 'array' ? parseArrayType(p) : parseScalarType(p)
}

/** A scalar type. */
export function parseScalarType(p: Cursor): TypeNode {
  const { at, kind } = p
  switch (kind) {
    case 'bit':
    case 'int':
    case 'uint':
    case 'float':
    case 'angle':
      p.next()
      return { kind: 'sized', at, name: kind, size: parseDesignator(p) }
    case 'bool':
    case 'duration':
    case 'stretch':
      p.next()
      return { kind: 'plain', at, name: kind }
    case 'complex':
      return parseComplexType(p)
    default:
      throw p.unexpected('a type')
  }
}

function parseComplexType(p: Cursor): TypeNode {
  const at = p.expect('complex')
  p.enter()
  if (p.accept('[')) {
    const part = parseScalarType(p)
    if (part.kind !== 'sized' || part.name === 'bit') {
      throw new Fault('type_mismatch', part.at, 'The parts of a complex number are float, int, uint or angle')
    }
    p.expect(']')
  }
  p.leave()
  return { kind: 'plain', at, name: 'complex' }
}

function parseArrayType(p: Cursor): TypeNode {
  const at = p.expect('array')
  p.expect('[')
  const element = parseScalarType(p)
  p.expect(',')
  const shape = p.list(() => parseExpression(p), ']')
  p.expect(']')
  return { kind: 'array', at, element, shape }
}

/** `readonly array[...]` or `mutable array[...]`, the form of array arguments. */
export function parseArrayReference(p: Cursor): TypeNode {
  const { at } = p
  const mutable = p.kind === 'mutable'
  p.next()
  p.expect('array')
  p.expect('[')
  const element = parseScalarType(p)
  p.expect(',')
  if (p.accept('#dim')) {
    p.expect('=')
    const dimensions = parseExpression(p)
    p.expect(']')
    return { kind: 'array_dimensions', at, element, mutable, dimensions }
  }
  const shape = p.list(() => parseExpression(p), ']')
  p.expect(']')
  return { kind: 'array_reference', at, element, mutable, shape }
}
