import type { Arity } from '../gates/native-gate.ts'
import type { Statement } from './ast.ts'
import { type Cursor, SINGLE } from './cursor.ts'
import { PackedCalls } from './packed-calls.ts'
import { parseExpression } from './parse-expression.ts'

/** Maximum operands of a packed call; each is compared with all before it. */
const MAX_QUBITS = 16

/**
 * Reads `gate(numbers) q[0], q[1];` straight into the packed run at the end of `into`.
 * Returns false, with the cursor back at the start, unless the call is plain and complete; the general parser
 * and the checker then process it.
 */
export function tryPackCall(p: Cursor, into: Statement[]): boolean {
  const { at, lexer } = p
  const { word } = lexer
  const arity = p.gates.get(word)
  if (arity === undefined || arity.qubits > MAX_QUBITS || p.isHidden(word)) return false
  const { remaining } = lexer
  const last = into.at(-1)
  const calls = last?.kind === 'packed' ? last.calls : new PackedCalls()
  const words = calls.words.length
  const numbers = calls.numbers.length
  const gate = calls.indexOfGate(word, arity)
  p.next()
  calls.words.push(gate, at)
  if (readNumbers(p, calls, arity.parameters) && readOperands(p, calls, arity)) {
    calls.count++
    if (last?.kind !== 'packed') into.push({ kind: 'packed', at, calls })
    lexer.remaining = remaining
    return true
  }
  calls.words.length = words
  calls.numbers.length = numbers
  lexer.seek(at)
  lexer.remaining = remaining
  return false
}

function readNumbers(p: Cursor, calls: PackedCalls, count: number): boolean {
  if (!p.is('(')) return count === 0
  p.next()
  for (let index = 0; index < count; index++) {
    if (index > 0 && !p.accept(',')) return false
    if (p.is(')')) return false
    const angle = readPlainNumber(p) ?? readConstant(p)
    if (angle === undefined || !Number.isFinite(angle)) return false
    calls.numbers.push(angle)
  }
  return p.accept(')')
}

/** An optionally signed literal that is a whole parameter; otherwise undefined, with the cursor restored. */
function readPlainNumber(p: Cursor): number | undefined {
  const { lexer } = p
  const at = lexer.start
  const isNegative = p.accept('-')
  if (p.is('real') || p.is('integer')) {
    const size = Number(lexer.lexeme())
    lexer.next()
    const isWhole = p.is(',') || p.is(')')
    // An underscore between digits makes it NaN.
    if (isWhole && !Number.isNaN(size)) return isNegative ? -size : size
  }
  lexer.seek(at)
  return undefined
}

/** The value of an expression of literals. */
function readConstant(p: Cursor): number | undefined {
  const number = parseExpression(p)
  if (number.kind !== 'literal') return undefined
  const { value } = number
  return value.kind === 'float' || value.kind === 'int' ? Number(value.value) : undefined
}

function readOperands(p: Cursor, calls: PackedCalls, arity: Arity): boolean {
  const first = calls.words.length
  for (let index = 0; index < arity.qubits; index++) {
    if (index > 0 && !p.accept(',')) return false
    if (!readOperand(p, calls) || repeats(calls.words, first)) return false
  }
  return p.accept(';')
}

function readOperand(p: Cursor, calls: PackedCalls): boolean {
  const { lexer } = p
  if (lexer.kind === 'hardware') {
    const qubit = Number(lexer.text.slice(lexer.start + 1, lexer.end))
    if (p.version === 2 || qubit >= p.limits.qubits) return false
    calls.words.push(-1, qubit)
    p.next()
    return true
  }
  if (lexer.kind !== 'identifier') return false
  const name = lexer.word
  const size = p.registers.get(name)
  if (size === undefined || p.isHidden(name)) return false
  if (size === SINGLE) return readSingle(p, calls, name)
  p.next()
  if (!p.is('[')) return false
  p.next()
  if (!p.is('integer')) return false
  const qubit = smallInteger(lexer.text, lexer.start, lexer.end)
  if (qubit >= size) return false
  p.next()
  if (!p.accept(']')) return false
  calls.words.push(calls.indexOfRegister(name), qubit)
  return true
}

/** A qubit that is not a register. */
function readSingle(p: Cursor, calls: PackedCalls, name: string): boolean {
  p.next()
  if (p.is('[')) return false
  calls.words.push(calls.indexOfRegister(name), 0)
  return true
}

/** The value of plain decimal digits; infinite for anything else. */
function smallInteger(text: string, start: number, end: number): number {
  if (end - start > 9) return Number.POSITIVE_INFINITY
  let value = 0
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return Number.POSITIVE_INFINITY
    value = value * 10 + digit
  }
  return value
}

/** Whether the last operand equals an earlier one of the same call. */
function repeats(words: readonly number[], first: number): boolean {
  const last = words.length - 2
  for (let at = first; at < last; at += 2) {
    if (words[at] === words[last] && words[at + 1] === words[last + 1]) return true
  }
  return false
}
