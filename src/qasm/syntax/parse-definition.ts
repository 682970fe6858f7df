import type { Argument, DeclareNode, Expression, NameNode, Statement, TypeNode } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { oldSpelling } from './old-spelling.ts'
import {
  parseArrayReference,
  parseDesignator,
  parseExpression,
  parseScalarType,
  parseSet,
  parseType,
  parseValue,
} from './parse-expression.ts'
import { parseHardware } from './parse-literal.ts'

type BlockParser = (p: Cursor) => Statement[]

function parseNameNode(p: Cursor): NameNode {
  const { at } = p
  return { kind: 'name', at, name: p.expectName() }
}

/** `gate name(parameters) qubits { ... }`. */
export function parseGate(p: Cursor, block: BlockParser): Statement {
  const at = p.expect('gate')
  const name = p.expectName()
  const { parameters, qubits } = parseGateHead(p, '{')
  const body = p.inDefinition(
    qubits.map((each) => each.name),
    () => {
      // A parameter may have the name of a gate.
      for (const each of parameters) p.hide(each.name)
      return block(p)
    },
  )
  return { kind: 'gate', at, name, parameters, qubits, body }
}

/** OpenQASM 2 `opaque name(parameters) qubits;`. */
export function parseOpaque(p: Cursor): Statement {
  const at = p.expect('opaque')
  const name = p.expectName()
  const { parameters, qubits } = parseGateHead(p, ';')
  p.expect(';')
  return { kind: 'gate', at, name, parameters, qubits, body: undefined }
}

function parseGateHead(p: Cursor, closes: '{' | ';') {
  let parameters: NameNode[] = []
  if (p.accept('(')) {
    if (p.kind !== ')') parameters = p.list(() => parseNameNode(p), ')')
    p.expect(')')
  }
  return { parameters, qubits: p.list(() => parseNameNode(p), closes) }
}

/** `def name(arguments) -> type { ... }`. */
export function parseDef(p: Cursor, block: BlockParser): Statement {
  const at = p.expect('def')
  const name = p.expectName()
  p.expect('(')
  const parameters = p.kind === ')' ? [] : p.list(() => parseArgument(p), ')')
  p.expect(')')
  const result = parseResult(p)
  const body = p.inDefinition([], () => {
    for (const each of parameters) p.hide(each.name)
    return block(p)
  })
  return { kind: 'def', at, name, arguments: parameters, result, body }
}

function parseResult(p: Cursor): TypeNode | undefined {
  return p.accept('->') ? parseScalarType(p) : undefined
}

function parseArgument(p: Cursor): Argument {
  const { at, kind } = p
  switch (kind) {
    case 'qubit':
      return { at, type: parseQubitType(p), name: argumentName(p) }
    case 'qreg':
    case 'creg': {
      p.next()
      const name = argumentName(p)
      return {
        at,
        name,
        type: { kind: 'sized', at, name: kind === 'qreg' ? 'qubit' : 'bit', size: parseDesignator(p) },
      }
    }
    case 'readonly':
    case 'mutable':
      return { at, type: parseArrayReference(p), name: argumentName(p) }
    default:
      return { at, type: parseScalarType(p), name: argumentName(p) }
  }
}

function argumentName(p: Cursor): string {
  if (p.is(':')) throw oldSpelling(p.at, '"type:name"', '"type name"')
  return p.expectName()
}

function parseQubitType(p: Cursor): TypeNode {
  const at = p.expect('qubit')
  return { kind: 'sized', at, name: 'qubit', size: parseDesignator(p) }
}

/** `extern name(types) -> type;`. */
export function parseExtern(p: Cursor): Statement {
  const at = p.expect('extern')
  const name = p.expectName()
  p.expect('(')
  const types = p.kind === ')' ? [] : p.list(() => parseExternArgument(p), ')')
  p.expect(')')
  const result = parseResult(p)
  p.expect(';')
  return { kind: 'extern', at, name, arguments: types, result }
}

function parseExternArgument(p: Cursor): TypeNode {
  const { at } = p
  if (p.kind === 'readonly' || p.kind === 'mutable') return parseArrayReference(p)
  if (p.accept('creg')) return { kind: 'sized', at, name: 'bit', size: parseDesignator(p) }
  return parseScalarType(p)
}

/** `qubit[n] q;`. */
export function parseQubits(p: Cursor): Statement {
  const { at } = p
  const type = parseQubitType(p)
  return finishDeclaration(p, at, 'variable', type, false)
}

/** `qreg q[n];` and `creg c[n];`; OpenQASM 2 requires the size. */
export function parseRegister(p: Cursor): Statement {
  const { at, kind } = p
  p.next()
  const nameAt = p.at
  const name = p.expectName()
  if (p.version === 2 && p.kind !== '[') throw p.unexpected('"["')
  const size = parseDesignator(p)
  p.expect(';')
  const type: TypeNode = { kind: 'sized', at, name: kind === 'qreg' ? 'qubit' : 'bit', size }
  return { kind: 'declare', at, form: 'variable', name, nameAt, type, value: undefined }
}

/** `type name = value;`, also after `const`, `input` or `output`. */
export function parseDeclaration(p: Cursor): Statement {
  const { at, kind } = p
  switch (kind) {
    case 'const':
      p.next()
      if (p.is('identifier'))
        throw oldSpelling(p.at, `"const ${p.lexer.word} ="`, `"const int ${p.lexer.word} ="`)
      return finishDeclaration(p, at, 'const', parseScalarType(p), true)
    case 'input':
    case 'output':
      p.next()
      return finishDeclaration(p, at, kind, parseType(p), false)
    default:
      return finishDeclaration(p, at, 'variable', parseType(p), true)
  }
}

function finishDeclaration(
  p: Cursor,
  at: number,
  form: DeclareNode['form'],
  type: TypeNode,
  takesValue: boolean,
): Statement {
  const nameAt = p.at
  const name = p.expectName()
  if (p.is('[')) throw oldSpelling(nameAt, 'A size after the name', 'it after the type, as in "qubit[2] q"')
  let value: Expression | undefined
  if (takesValue && (form === 'const' || p.kind === '=')) {
    p.expect('=')
    value = parseValue(p)
  }
  p.expect(';')
  return { kind: 'declare', at, form, name, nameAt, type, value }
}

/** `let name = a ++ b;`. */
export function parseAlias(p: Cursor): Statement {
  const at = p.expect('let')
  const name = p.expectName()
  p.expect('=')
  const first = p.is('{') ? parseBits(p) : parseExpression(p)
  if (first.kind === 'binary' && first.operator === '||')
    throw oldSpelling(first.at, 'Joining registers with "||"', '"++"')
  const parts = [first]
  while (p.accept('++')) parts.push(parseExpression(p))
  p.expect(';')
  return {
    kind: 'alias',
    at,
    name,
    value: parts.length === 1 ? first : { kind: 'concat', at: first.at, parts },
  }
}

/** `{a, b[1]}`: Qiskit writes registers of bits that others contain as a list of bits. */
function parseBits(p: Cursor): Expression {
  const { at } = p
  return { kind: 'concat', at, parts: parseSet(p) }
}

/** `cal { ... }`: the block is another language and skipped. */
export function skipCal(p: Cursor): Statement {
  const at = p.expect('cal')
  if (p.kind !== '{') throw p.unexpected('"{"')
  p.lexer.skipBlock()
  return { kind: 'pragma', at, name: 'cal' }
}

/** `defcal target(arguments) qubits -> type { ... }`: the head is checked, the block skipped. */
export function skipDefcal(p: Cursor): Statement {
  const at = p.expect('defcal')
  const name = p.lexer.word
  if (p.kind === 'measure' || p.kind === 'reset' || p.kind === 'delay') p.next()
  else p.expectName()
  if (p.accept('(')) {
    if (p.kind !== ')') p.list(() => skipDefcalArgument(p), ')')
    p.expect(')')
  }
  p.list(() => (p.kind === 'hardware' ? parseHardware(p) : parseNameNode(p)), '{')
  parseResult(p)
  if (p.kind !== '{') throw p.unexpected('"{"')
  p.lexer.skipBlock()
  return { kind: 'pragma', at, name: `defcal ${name}` }
}

function skipDefcalArgument(p: Cursor): void {
  const isArgument = ['qubit', 'qreg', 'creg', 'readonly', 'mutable'].includes(p.kind)
  if (isArgument) {
    parseArgument(p)
    return
  }
  const { at } = p
  if (['bit', 'int', 'uint', 'float', 'angle', 'bool', 'duration', 'stretch', 'complex'].includes(p.kind)) {
    parseScalarType(p)
    if (p.kind === 'identifier') {
      p.next()
      return
    }
    p.lexer.seek(at)
  }
  parseExpression(p)
}
