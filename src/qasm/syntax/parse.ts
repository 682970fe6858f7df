import { Fault, positioned } from '../fault.ts'
import { foreignFormat } from '../foreign-format.ts'
import { impliedGate, LIBRARIES, type Library } from '../gates/exporter-gates.ts'
import { BUILTIN_GATES } from '../gates/library.ts'
import type { Limits } from '../limits.ts'
import type { DeclareNode, GateNode, ParsedProgram, Statement } from './ast.ts'
import { Cursor, SINGLE } from './cursor.ts'
import { tryPackCall } from './pack-call.ts'
import { parseStatement } from './parse-statement.ts'
import { parseStatement2 } from './parse-version-2.ts'

/** Statements of the top level that declare a name. */
const DECLARING: ReadonlySet<Statement['kind']> = new Set([
  'alias',
  'declare',
  'def',
  'extern',
  'gate',
] as const)

/** Parses a program in parts. */
interface ProgramReader {
  /** Receives the parsed statements; the caller may remove processed ones before it reads more. */
  program: ParsedProgram
  /**
   * Parses up to `maxStatements` more statements; returns false after the last one. Throws as `openProgram`
   * does.
   */
  maxStatements(maxStatements: number): boolean
  /**
   * After a syntax error: moves behind the statement that has it, of which nothing is kept; returns false if
   * nothing follows, or nothing that could be read.
   */
  skipStatement(): boolean
}

/**
 * Starts to parse a program without checking its semantics; throws `QasmError` at the first unexpected token.
 */
export function openProgram(text: string, limits: Limits): ProgramReader {
  const p = named(text, () => openText(text, limits))
  const { version, usesDt } = p
  const program: ParsedProgram = { version, inputs: [], outputs: [], statements: [], text, usesDt }
  let begin = p.at
  const read = (maxStatements: number): boolean => {
    for (let number = 0; number < maxStatements && p.kind !== 'eof'; number++) {
      begin = p.at
      readStatement(p, program)
    }
    program.usesDt = p.usesDt
    return p.kind !== 'eof'
  }
  return {
    program,
    maxStatements: (maxStatements) => named(text, () => read(maxStatements)),
    skipStatement: () => foreignFormat(text) === undefined && skipStatement(p, begin),
  }
}

/**
 * Continues at the token that was not expected if it begins a line of the top level: before it, a semicolon
 * is missing. Otherwise behind the next semicolon or block of the top level.
 */
function skipStatement(p: Cursor, begin: number): boolean {
  const failed = p.at
  const { tokens } = p.limits
  p.recover()
  p.lexer.remaining = tokens
  try {
    p.lexer.seek(begin)
    seekStatement(p, failed)
    return !p.is('eof')
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}

function seekStatement(p: Cursor, failed: number): void {
  let depth = 0
  while (p.kind !== 'eof') {
    const { kind } = p
    const { end, text } = p.lexer
    p.next()
    if (kind === '{') depth++
    if (kind === '}') depth--
    const isEnd = kind === ';' || kind === '}' || (p.at === failed && text.slice(end, failed).includes('\n'))
    if (depth <= 0 && isEnd) return
  }
}

/** As `positioned`; the syntax error of a text in another format names that. */
function named<T>(text: string, work: () => T): T {
  return positioned(text, () => {
    try {
      return work()
    } catch (error) {
      const format = error instanceof Fault && error.code === 'syntax_error' ? foreignFormat(text) : undefined
      throw format === undefined ? error : new Fault('syntax_error', 0, format)
    }
  })
}

function openText(text: string, limits: Limits): Cursor {
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
  // The token after the header was read with the reserved words of version 3.
  p.lexer.seek(p.at)
  return p
}

function readStatement(p: Cursor, program: ParsedProgram): void {
  const { statements } = program
  p.lexer.remaining = p.limits.tokens
  if (p.kind === 'identifier' && tryPackCall(p, statements)) return
  if (p.kind === 'OPENQASM') {
    throw new Fault('syntax_error', p.at, 'The version must be the first statement, and only once')
  }
  const before = statements.length
  if (p.version === 2) parseStatement2(p, statements)
  else parseStatement(p, statements)
  const statement = statements[before]
  if (statement && DECLARING.has(statement.kind)) countName(p, statement.at)
  if (statement?.kind === 'include') registerLibraryGates(p, statement.library)
  else if (statement?.kind === 'declare') registerDeclaration(p, program, statement)
  else if (statement?.kind === 'gate') registerGate(p, statement)
  else if (statement?.kind === 'gate_call') registerImplied(p, statement.name)
}

function countName(p: Cursor, at: number): void {
  p.names += 1
  if (p.names <= p.limits.names) return
  throw new Fault(
    'program_too_large',
    at,
    `The program declares more than ${p.limits.names} names: define each gate once, and use registers and arrays`,
  )
}

/**
 * Reads `OPENQASM n;`, if present. A program without it is version 3 unless it includes a library of
 * version 2.
 */
function versionOf(p: Cursor): 2 | 3 {
  p.next()
  if (p.kind !== 'OPENQASM') return /include\s*["'](qelib1|hqslib1)\.inc["']/.test(p.lexer.text) ? 2 : 3
  p.next()
  const { at } = p
  const version = p.lexer.lexeme()
  if (!(p.is('integer') || p.is('real')) || !/^\d+(\.\d+)?$/.test(version)) {
    throw p.unexpected('a version such as 3.0')
  }
  p.next()
  if (!p.is(';')) throw p.unexpected('";"')
  // The next token is read again after the reserved words of the version are selected.
  const [major] = version.split('.')
  if (major !== '2' && major !== '3')
    throw new Fault('unsupported', at, `OpenQASM ${version} is not supported: use 2.0 or 3`)
  p.setVersion(major === '2' ? 2 : 3)
  p.next()
  return p.version
}

/** Registers the gates of a library, so that later plain calls can be packed. */
function registerLibraryGates(p: Cursor, library: Library): void {
  p.includesLibrary = true
  for (const [name, gate] of LIBRARIES[library]) if (!p.gates.has(name)) p.gates.set(name, gate)
}

/** Registers a gate that the program does not define; the checker has to see its first call. */
function registerImplied(p: Cursor, name: string): void {
  if (p.gates.has(name)) return
  const gate = impliedGate(p.version, name, p.includesLibrary)
  if (gate) p.gates.set(name, gate)
}

/** Registers a gate of the program, so that later plain calls can be packed; opaque gates have no effect. */
function registerGate(p: Cursor, { at, name, parameters, qubits, body }: GateNode): void {
  if (body !== undefined && p.waits.has(name))
    throw new Fault('duplicate_name', at, `"${name}" is used as a wait before: move its definition up`)
  if (body === undefined) p.gates.delete(name)
  else p.gates.set(name, { parameters: parameters.length, qubits: qubits.length })
}

/** Records inputs and outputs, and registers of qubits so that later plain calls can be packed. */
function registerDeclaration(p: Cursor, { inputs, outputs }: ParsedProgram, node: DeclareNode): void {
  const { form, name, type } = node
  if (form === 'input') inputs.push(name)
  if (type.kind !== 'sized') return
  if (form === 'output' && type.name === 'bit') outputs.push(name)
  // A name that is taken already is refused by the checker, which therefore has to see its uses.
  if (type.name !== 'qubit' || p.registers.has(name) || p.gates.has(name)) return
  if (type.size === undefined) p.registers.set(name, SINGLE)
  if (type.size?.kind !== 'literal') return
  const { value } = type.size
  p.registers.set(name, value.kind === 'int' ? Number(value.value) : 0)
}
