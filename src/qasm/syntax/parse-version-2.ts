import { Fault } from '../fault.ts'
import { durationValue } from '../values/values.ts'
import type { Expression, GateCallNode, Statement } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { tryPackCall } from './pack-call.ts'
import { parseGate, parseOpaque, parseRegister } from './parse-definition.ts'
import { parseArguments, parseExpression, parseOperand, parsePostfix } from './parse-expression.ts'
import { dtOf, parseLiteral } from './parse-literal.ts'
import { parsePragma } from './parse-pragma.ts'
import { parseInclude } from './parse-statement.ts'

const COMPARISONS = ['==', '!=', '<', '>', '<=', '>='] as const

/** Appends the next OpenQASM 2 statement. */
export function parseStatement2(p: Cursor, into: Statement[]): void {
  const { at } = p
  switch (p.kind) {
    case 'include':
      into.push(parseInclude(p))
      break
    case 'qreg':
    case 'creg':
      into.push(parseRegister(p))
      break
    case 'gate':
      into.push(parseGate(p, parseGateBody))
      break
    case 'opaque':
      into.push(parseOpaque(p))
      break
    case 'pragma':
      into.push(parsePragma(p))
      break
    case 'if': {
      p.next()
      const condition = parseCondition2(p)
      into.push({ kind: 'if', at, condition, body: [parseOperation(p)], otherwise: undefined })
      break
    }
    default:
      into.push(parseOperation(p))
  }
}

/** `(register == number)`; pytket writes the other comparisons too. */
function parseCondition2(p: Cursor): Expression {
  const at = p.expect('(')
  const left = parseOperand(p)
  const operator = COMPARISONS.find((each) => p.is(each)) ?? '=='
  p.expect(operator)
  const right = parseExpression(p)
  if (right.kind === 'literal' && right.value.kind !== 'int') {
    throw new Fault('type_mismatch', right.at, 'A register is compared with an integer, as in if (c == 3)')
  }
  p.expect(')')
  return { kind: 'binary', at: at + 1, operator, left, right }
}

function parseOperation(p: Cursor): Statement {
  const { at, kind } = p
  switch (kind) {
    case 'measure': {
      p.next()
      const operand = parseOperand(p)
      p.expect('->')
      const target = parseOperand(p)
      p.expect(';')
      return { kind: 'assign', at, target, operator: undefined, value: { kind: 'measure', at, operand } }
    }
    case 'reset':
      return parseReset(p)
    case 'barrier':
      return parseBarrier(p)
    default:
      return parseCall(p)
  }
}

function parseReset(p: Cursor): Statement {
  const at = p.expect('reset')
  const operand = parseOperand(p)
  p.expect(';')
  return { kind: 'reset', at, operand }
}

function parseBarrier(p: Cursor): Statement {
  const at = p.expect('barrier')
  const operands = p.list(() => parseOperand(p), ';')
  p.expect(';')
  return { kind: 'barrier', at, operands }
}

function parseCall(p: Cursor): Statement {
  const { at } = p
  if (p.kind !== 'identifier') throw p.unexpected('a statement')
  const name = p.expectName()
  if (p.is('=') || p.is('[')) return parseAssignment(p, name, at)
  const parameters = p.is('(') ? parseArguments(p) : []
  if (p.is(';') && parameters.some(({ kind }) => kind === 'name')) throw foreignCall(name, at)
  // PennyLane writes global phases, with and without qubits.
  const operands = name === 'gphase' && p.is(';') ? [] : p.list(() => parseOperand(p), ';')
  p.expect(';')
  if (isWait(p, name)) return waitOf(p, { at, name, parameters, operands })
  return { kind: 'gate_call', at, name, modifiers: [], parameters, operands }
}

/**
 * Whether a call is a wait: Qiskit and pyGSTi write waits as an opaque gate. Qiskit adds a number to the name
 * for a second duration.
 */
function isWait(p: Cursor, name: string): boolean {
  return /^delay(_\d+)?$/.test(name) && !p.gates.has(name)
}

function waitOf(p: Cursor, call: Pick<GateCallNode, 'at' | 'name' | 'parameters' | 'operands'>): Statement {
  const { at, name, parameters, operands } = call
  const [left] = parameters
  if (left === undefined || parameters.length > 1)
    throw new Fault('parameter_count', at, `"${name}" takes 1 parameter, not ${parameters.length}`)
  p.waits.add(name)
  const right: Expression = { kind: 'literal', at, value: durationValue(dtOf(p)) }
  const duration: Expression = { kind: 'binary', at: left.at, operator: '*', left, right }
  return { kind: 'delay', at, duration, operands, hasNoUnit: true }
}

/** `c = a & b;` or `c[0] = 1;`, which pytket writes. */
function parseAssignment(p: Cursor, name: string, at: number): Statement {
  const target = parsePostfix(p, { kind: 'name', at, name })
  p.expect('=')
  const value = parseLogic(p)
  p.expect(';')
  return { kind: 'assign', at, target, operator: undefined, value }
}

/** Operands joined by one of `&`, `|` and `^`, which is the exclusive or here. */
function parseLogic(p: Cursor): Expression {
  p.enter()
  let left = parseLogicOperand(p)
  const operator = LOGICAL.find((each) => p.is(each))
  while (operator !== undefined && p.accept(operator)) {
    const right = parseLogicOperand(p)
    left = { kind: 'binary', at: left.at, operator, left, right }
  }
  if (!p.is(';') && !p.is(')')) {
    if (LOGICAL.some((each) => p.is(each))) throw p.unexpected(`parentheses around "${operator}"`)
    if (p.is('eof')) throw p.unexpected('";"')
    const word = p.lexer.lexeme()
    const only = 'registers and bits are computed with &, |, ^ and ~ only, numbers are not calculated'
    throw new Fault('unsupported', p.at, `"${word}" is an extension of pytket that is not supported: ${only}`)
  }
  p.leave()
  return left
}

const LOGICAL = ['&', '|', '^'] as const

function parseLogicOperand(p: Cursor): Expression {
  const { at, kind } = p
  if (p.accept('~')) return { kind: 'unary', at, operator: '~', operand: parseLogicOperand(p) }
  if (p.accept('(')) {
    const inner = parseLogic(p)
    p.expect(')')
    return inner
  }
  if (kind === 'integer') return parseLiteral(p)
  const operand = parseOperand(p)
  if (p.is('(') && operand.kind === 'name') throw foreignCall(operand.name, at)
  return operand
}

/** Functions of WebAssembly and random numbers, which pytket writes. */
function foreignCall(name: string, at: number): Fault {
  return new Fault(
    'unsupported',
    at,
    `"${name}(…)" calls a function, an extension of pytket that is not supported`,
  )
}

function parseGateBody(p: Cursor): Statement[] {
  p.expect('{')
  const body: Statement[] = []
  while (!p.accept('}')) {
    if (p.kind === 'barrier') {
      body.push(parseBarrier(p))
    } else if (p.kind === 'reset') {
      // Qiskit writes `initialize` as a gate.
      body.push(parseReset(p))
    } else if (p.kind === 'identifier') {
      if (!tryPackCall(p, body)) body.push(parseCall(p))
    } else if (p.kind === 'eof') {
      throw p.unexpected('"}"')
    } else {
      throw new Fault('wrong_scope', p.at, 'A gate body may contain only gate calls, barriers and resets')
    }
  }
  return body
}
