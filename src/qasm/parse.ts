import type { Input, ParsedProgram, Statement } from './ast.ts'
import { Cursor } from './cursor.ts'
import { Fault, toQasmError } from './fault.ts'
import { BUILTIN_GATES, QELIB1, STDGATES } from './library.ts'
import type { Limits } from './limits.ts'
import { tryPackCall } from './pack-call.ts'
import { parseStatement } from './parse-statement.ts'
import { parseStatement2 } from './parse-version-2.ts'

/** Statements read from one pause to the next: about 1 ms of work. */
const STATEMENTS_AT_ONCE = 1_000

/**
 * Parses a program without checking its meaning, with pauses for whoever has other things to do; throws `QasmError`
 * at the first token that does not fit.
 */
export function* parseText(text: string, limits: Limits): Generator<void, ParsedProgram> {
  try {
    if (text.length > limits.textLength) {
      throw new Fault(
        'program_too_large',
        0,
        `The program has ${text.length} characters; ${limits.textLength} are allowed`,
      )
    }
    const p = new Cursor(text, limits)
    p.setVersion(versionOf(p))
    for (const [name, gate] of BUILTIN_GATES[p.version]) p.gates.set(name, gate)
    // The token after the header was read with the words of version 3.
    p.lexer.seek(p.at)
    const statements = yield* parseStatements(p)
    const inputs = inputsOf(statements, text)
    return { version: p.version, inputs, selectsOutput: statements.some(isBitOutput), statements, text }
  } catch (error) {
    throw error instanceof Fault ? toQasmError(error, text) : error
  }
}

function* parseStatements(p: Cursor): Generator<void, Statement[]> {
  const statements: Statement[] = []
  for (let read = 1; p.kind !== 'eof'; read += 1) {
    if (read % STATEMENTS_AT_ONCE === 0) yield
    if (p.kind === 'identifier' && tryPackCall(p, statements)) continue
    if (p.kind === 'OPENQASM') {
      throw new Fault('syntax_error', p.at, 'The version must be the first statement, and only once')
    }
    if (p.version === 2) parseStatement2(p, statements)
    else parseStatement(p, statements)
    noteDeclaration(p, statements.at(-1))
  }
  return statements
}

/** Reads `OPENQASM n;`, if present. A program without it is version 3 unless it includes `qelib1.inc`. */
function versionOf(p: Cursor): 2 | 3 {
  p.next()
  if (p.kind !== 'OPENQASM') return /include\s*["']qelib1\.inc["']/.test(p.lexer.text) ? 2 : 3
  p.next()
  const { at } = p
  const version = p.lexer.lexeme()
  if (!(p.is('integer') || p.is('real')) || !/^\d+(\.\d+)?$/.test(version)) {
    throw p.unexpected('a version such as 3.0')
  }
  p.next()
  if (!p.is(';')) throw p.unexpected('";"')
  // Whatever follows is read again once the words of the version are chosen.
  const [major] = version.split('.')
  if (major !== '2' && major !== '3')
    throw new Fault('unsupported', at, `OpenQASM ${version} is not supported: use 2.0 or 3`)
  p.setVersion(major === '2' ? 2 : 3)
  p.next()
  return p.version
}

/** Remembers libraries and registers, so that later plain calls can be packed. */
function noteDeclaration(p: Cursor, statement: Statement | undefined): void {
  if (statement?.kind === 'include') {
    for (const [name, gate] of statement.library === 'qelib1' ? QELIB1 : STDGATES)
      if (!p.gates.has(name)) p.gates.set(name, gate)
    return
  }
  if (statement?.kind !== 'declare' || statement.type.kind !== 'sized' || statement.type.name !== 'qubit')
    return
  const { size } = statement.type
  if (size?.kind !== 'literal') return
  const count = size.value.kind === 'int' || size.value.kind === 'float' ? Number(size.value.value) : 0
  if (!p.registers.has(statement.name)) p.registers.set(statement.name, count)
}

function isBitOutput(node: Statement): boolean {
  return (
    node.kind === 'declare' &&
    node.form === 'output' &&
    node.type.kind === 'sized' &&
    node.type.name === 'bit'
  )
}

function inputsOf(statements: readonly Statement[], text: string): Input[] {
  const inputs: Input[] = []
  for (const statement of statements) {
    if (statement.kind !== 'declare' || statement.form !== 'input') continue
    inputs.push({ name: statement.name, type: text.slice(statement.type.at, statement.nameAt).trim() })
  }
  return inputs
}
