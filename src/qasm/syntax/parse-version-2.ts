import { Fault } from '../fault.ts'
import type { Expression, GateCallNode, Statement } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { tryPackCall } from './pack-call.ts'
import { parseGate, parseOpaque, parseRegister } from './parse-definition.ts'
import { parseArguments, parseExpression, parseOperand } from './parse-expression.ts'
import { DT } from './parse-literal.ts'
import { parsePragma } from './parse-pragma.ts'
import { parseInclude } from './parse-statement.ts'

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

/** `(register == number)`. */
function parseCondition2(p: Cursor): Expression {
  const at = p.expect('(')
  const left = parseOperand(p)
  p.expect('==')
  const right = parseExpression(p)
  if (right.kind === 'literal' && right.value.kind !== 'int') {
    throw new Fault('type_mismatch', right.at, 'A register is compared with an integer, as in if (c == 3)')
  }
  p.expect(')')
  return { kind: 'binary', at: at + 1, operator: '==', left, right }
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
  const parameters = p.is('(') ? parseArguments(p) : []
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
  const right: Expression = { kind: 'literal', at, value: DT }
  const duration: Expression = { kind: 'binary', at: left.at, operator: '*', left, right }
  return { kind: 'delay', at, duration, operands, hasNoUnit: true }
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
