import { Fault } from '../fault.ts'
import { LIBRARIES, type Library } from '../gates/exporter-gates.ts'
import type { BinaryOperator } from '../values/operator.ts'
import type { Expression, ForNode, GateCallNode, Modifier, Statement, SwitchNode } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { oldSpelling, oldWord } from './old-spelling.ts'
import { tryPackCall } from './pack-call.ts'
import {
  parseAlias,
  parseDeclaration,
  parseDef,
  parseExtern,
  parseGate,
  parseQubits,
  parseRegister,
  skipCal,
  skipDefcal,
} from './parse-definition.ts'
import {
  isTypeStart,
  parseArguments,
  parseDesignator,
  parseExpression,
  parseOperand,
  parseRangeOrExpression,
  parseScalarType,
  parseSet,
  parseType,
  parseValue,
} from './parse-expression.ts'
import { parsePragma } from './parse-pragma.ts'
import type { TokenKind } from './tokens.ts'

const compound = new Map<TokenKind, BinaryOperator>([
  ['+=', '+'],
  ['-=', '-'],
  ['*=', '*'],
  ['/=', '/'],
  ['%=', '%'],
  ['**=', '**'],
  ['&=', '&'],
  ['|=', '|'],
  ['^=', '^'],
  ['<<=', '<<'],
  ['>>=', '>>'],
])

/** Statements that declare a name in their block. */
const declarations = new Set<Statement['kind']>(['declare', 'alias', 'gate', 'def', 'extern'])

/** Appends the next OpenQASM 3 statement; ignored statements append nothing. */
export function parseStatement(p: Cursor, into: Statement[]): void {
  p.enter()
  skipAnnotations(p)
  const statement = parseOne(p)
  if (statement !== undefined) into.push(statement)
  p.leave()
}

function skipAnnotations(p: Cursor): void {
  while (p.kind === '@') {
    const { at } = p
    p.next()
    if (p.at !== at + 1 || !/^[\p{L}_]/u.test(p.lexer.lexeme()))
      throw p.unexpected('the name of an annotation')
    p.lexer.skipLine()
  }
}

function parseOne(p: Cursor): Statement | undefined {
  const { at, kind } = p
  switch (kind) {
    case 'identifier':
      return parseNamed(p)
    case 'gphase':
    case 'inv':
    case 'pow':
    case 'ctrl':
    case 'negctrl':
      return parseModifiedCall(p)
    case 'measure':
      return parseMeasure(p)
    case 'if':
      return parseIf(p)
    case 'for':
      return parseFor(p)
    case 'while':
      return parseWhile(p)
    case 'switch':
      return parseSwitch(p)
    case '{':
      return { kind: 'block', at, body: parseBlock(p) }
    case 'break':
    case 'continue':
    case 'end':
      p.next()
      p.expect(';')
      return { kind, at }
    case 'return':
      return parseReturn(p)
    default:
      return parseDirective(p)
  }
}

function parseDirective(p: Cursor): Statement | undefined {
  const { at, kind } = p
  switch (kind) {
    case 'reset':
      p.next()
      return finish(p, { kind, at, operand: parseOperand(p) })
    case 'barrier':
    case 'nop':
      p.next()
      return finish(p, { kind, at, operands: parseOperands(p) })
    case 'delay':
      return parseDelay(p)
    case 'box': {
      p.next()
      const duration = parseDesignator(p)
      return { kind, at, duration, body: parseBlock(p) }
    }
    case 'include':
      return parseInclude(p)
    case 'pragma':
      return parsePragma(p)
    case 'cal':
      return skipCal(p)
    case 'defcal':
      return skipDefcal(p)
    case 'defcalgrammar':
      p.next()
      p.expect('string')
      p.expect(';')
      return undefined
    default:
      return parseDefinition(p)
  }
}

function parseDefinition(p: Cursor): Statement {
  switch (p.kind) {
    case 'qubit':
      return parseQubits(p)
    case 'qreg':
    case 'creg':
      return parseRegister(p)
    case 'const':
    case 'input':
    case 'output':
      return parseDeclaration(p)
    case 'gate':
      return parseGate(p, parseBlock)
    case 'def':
      return parseDef(p, parseBlock)
    case 'extern':
      return parseExtern(p)
    case 'let':
      return parseAlias(p)
    default:
      return isTypeStart(p.kind) ? parseTyped(p) : parseExpressionStatement(p)
  }
}

/** A declaration or, rarely, an expression that begins with a cast. */
function parseTyped(p: Cursor): Statement {
  const { at } = p
  parseType(p)
  const isCast = p.is('(')
  p.lexer.seek(at)
  return isCast ? parseExpressionStatement(p) : parseDeclaration(p)
}

function finish<T extends Statement>(p: Cursor, statement: T): T {
  p.expect(';')
  return statement
}

/** `{ ... }`. */
function parseBlock(p: Cursor): Statement[] {
  p.expect('{')
  const body = p.inBlock(() => parseBlockStatements(p))
  p.next()
  return body
}

function parseBlockStatements(p: Cursor): Statement[] {
  const body: Statement[] = []
  while (p.kind !== '}') {
    if (p.kind === 'eof') throw p.unexpected('"}"')
    if (p.kind === 'identifier' && tryPackCall(p, body)) continue
    parseStatement(p, body)
    const declared = body.at(-1)
    if (declared !== undefined && declarations.has(declared.kind) && 'name' in declared) p.hide(declared.name)
  }
  return body
}

function parseBody(p: Cursor): Statement[] {
  if (p.kind === '{') return parseBlock(p)
  const body: Statement[] = []
  parseStatement(p, body)
  return body
}

function parseOperands(p: Cursor): Expression[] {
  return p.kind === ';' ? [] : p.list(() => parseOperand(p), ';')
}

/** A statement that begins with a name: gate call, assignment or expression. */
function parseNamed(p: Cursor): Statement {
  const { at } = p
  const name = p.lexer.word
  p.next()
  const old = p.gates.has(name) || !(startsOperand(p.kind) || p.is('delay')) ? undefined : oldWord(at, name)
  if (old) throw old
  if (startsOperand(p.kind)) return finishCall(p, at, name, [], [])
  if (p.is('(')) {
    const parameters = parseArguments(p)
    if (startsOperand(p.kind) || p.is('[')) return finishCall(p, at, name, [], parameters)
  }
  p.lexer.seek(at)
  return parseExpressionStatement(p)
}

function startsOperand(kind: TokenKind): boolean {
  return kind === 'identifier' || kind === 'hardware'
}

function finishCall(
  p: Cursor,
  at: number,
  name: string,
  modifiers: Modifier[],
  parameters: Expression[],
): GateCallNode {
  // An optional duration after the parameters is relevant only for calibrations.
  const hasDuration = parseDesignator(p) !== undefined
  const operands = name === 'gphase' ? parseOperands(p) : p.list(() => parseOperand(p), ';')
  p.expect(';')
  return { kind: 'gate_call', at, name, modifiers, parameters, operands, ...(hasDuration && { hasDuration }) }
}

function parseModifiedCall(p: Cursor): Statement {
  const { at } = p
  const modifiers: Modifier[] = []
  while (p.kind === 'inv' || p.kind === 'pow' || p.kind === 'ctrl' || p.kind === 'negctrl') {
    modifiers.push(parseModifier(p, p.kind))
  }
  const name = p.kind === 'gphase' ? 'gphase' : p.lexer.word
  if (!p.accept('gphase')) p.expectName()
  const parameters = p.kind === '(' ? parseArguments(p) : []
  return finishCall(p, at, name, modifiers, parameters)
}

function parseModifier(p: Cursor, kind: Modifier['kind']): Modifier {
  const { at } = p
  p.next()
  let argument: Expression | undefined
  if (p.is('[')) throw oldSpelling(at, `"${kind}[n] @"`, `"${kind}(n) @"`)
  if (kind === 'pow' || (kind !== 'inv' && p.kind === '(')) {
    p.expect('(')
    argument = parseExpression(p)
    p.expect(')')
  }
  p.expect('@')
  return { kind, at, argument }
}

function parseMeasure(p: Cursor): Statement {
  const { at } = p
  const value = parseValue(p)
  if (!p.accept('->')) return finish(p, { kind: 'expression', at, value })
  const target = parseOperand(p)
  if (target.kind === 'hardware')
    throw new Fault('type_mismatch', target.at, 'A measurement outcome is assigned to a bit, not to a qubit')
  return finish(p, { kind: 'assign', at, target, operator: undefined, value })
}

function parseExpressionStatement(p: Cursor): Statement {
  const { at } = p
  const target = parseExpression(p)
  if (target.kind === 'index' && target.base.kind === 'name' && startsOperand(p.kind)) {
    // An optional duration before the operands is relevant only for calibrations.
    return { ...finishCall(p, at, target.base.name, [], []), hasDuration: true }
  }
  const operator = compound.get(p.kind)
  if (operator === undefined && p.kind !== '=') {
    if (p.kind === '~=')
      throw new Fault('unsupported', p.at, 'The operator "~=" has no defined meaning: write x = ~x')
    return finish(p, { kind: 'expression', at, value: target })
  }
  if (!isAssignable(target))
    throw new Fault('syntax_error', at, 'Only a name, with or without indices, can be assigned to')
  p.next()
  return finish(p, { kind: 'assign', at, target, operator, value: parseValue(p) })
}

function isAssignable(target: Expression): boolean {
  let base = target
  while (base.kind === 'index') base = base.base
  return base.kind === 'name'
}

function parseDelay(p: Cursor): Statement {
  const at = p.expect('delay')
  p.expect('[')
  const duration = parseExpression(p)
  p.expect(']')
  return finish(p, { kind: 'delay', at, duration, operands: parseOperands(p) })
}

function parseReturn(p: Cursor): Statement {
  const at = p.expect('return')
  return finish(p, { kind: 'return', at, value: p.kind === ';' ? undefined : parseValue(p) })
}

function parseCondition(p: Cursor): Expression {
  p.expect('(')
  const condition = parseExpression(p)
  p.expect(')')
  return condition
}

function parseIf(p: Cursor): Statement {
  const at = p.expect('if')
  const condition = parseCondition(p)
  const body = parseBody(p)
  return { kind: 'if', at, condition, body, otherwise: p.accept('else') ? parseBody(p) : undefined }
}

function parseWhile(p: Cursor): Statement {
  const at = p.expect('while')
  const condition = parseCondition(p)
  return { kind: 'while', at, condition, body: parseBody(p) }
}

function parseFor(p: Cursor): Statement {
  const at = p.expect('for')
  if (p.is('identifier')) throw oldSpelling(p.at, `"for ${p.lexer.word} in"`, `"for int ${p.lexer.word} in"`)
  const type = parseScalarType(p)
  const name = p.expectName()
  p.expect('in')
  const values = parseForValues(p)
  const body = p.inBlock(() => {
    p.hide(name)
    return parseBody(p)
  })
  return { kind: 'for', at, type, name, values, body }
}

function parseForValues(p: Cursor): ForNode['values'] {
  const { at } = p
  if (p.kind === '{') return { kind: 'set', at, elements: parseSet(p) }
  if (!p.accept('[')) return parseExpression(p)
  const range = parseRangeOrExpression(p)
  if (range.kind !== 'range') throw p.unexpected('":"')
  p.expect(']')
  return range
}

function parseSwitch(p: Cursor): Statement {
  const at = p.expect('switch')
  const control = parseCondition(p)
  p.expect('{')
  const cases: SwitchNode['cases'] = []
  let otherwise: Statement[] | undefined
  while (!p.accept('}')) {
    if (otherwise !== undefined) throw p.unexpected('"}" after the default')
    if (p.accept('default')) {
      otherwise = parseBlock(p)
    } else {
      p.expect('case')
      cases.push({ labels: p.list(() => parseExpression(p), '{'), body: parseBlock(p) })
    }
  }
  if (cases.length === 0) throw new Fault('syntax_error', at, 'A switch needs at least one case')
  return { kind: 'switch', at, control, cases, otherwise }
}

function isLibrary(file: string): file is Library {
  return Object.hasOwn(LIBRARIES, file)
}

/** `include "stdgates.inc";` and the like: the libraries are built in; no file is ever read. */
export function parseInclude(p: Cursor): Statement {
  const at = p.expect('include')
  const { at: fileAt } = p
  const file = p.lexer.lexeme().slice(1, -1)
  p.expect('string')
  p.expect(';')
  if (isLibrary(file)) return { kind: 'include', at, library: file }
  const names = Object.keys(LIBRARIES).map((name) => `"${name}"`)
  const known = `only ${names.join(', ')} exist here, so put the definitions into the program`
  throw new Fault('include_not_allowed', fileAt, `Cannot include ${JSON.stringify(file)}: ${known}`)
}
