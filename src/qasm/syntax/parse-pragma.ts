import { Fault } from '../fault.ts'
import type { Expression, Statement } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { parseExpression, parseOperand } from './parse-expression.ts'

/** Characters of a directive that its warning names. */
const MAX_NAME = 60

/** A directive to the end of its line. Only the matrices of Amazon Braket have an effect. */
export function parsePragma(p: Cursor): Statement {
  const { at, lexer } = p
  const line = lexer.restOfLine()
  const name = line
    .slice(0, MAX_NAME)
    .replace(/^#/, '')
    .replace(/[^\w\s.:-].*/s, '')
    .trim()
    .replace(/\s+/g, ' ')
  if (/^pragma braket unitary\b/.test(name)) return parseUnitary(p, at + line.length)
  if (/^#?pragma\s*\{[^}]*$/.test(line))
    throw new Fault(
      'syntax_error',
      at,
      'A pragma of several lines is a spelling from before OpenQASM 3.0: it ends with its line',
    )
  lexer.skipLine()
  return { kind: 'pragma', at, name: `#${name}` }
}

/** `braket unitary([[a + bim, ...], ...]) q[0], q[1]`, up to `end`. */
function parseUnitary(p: Cursor, end: number): Statement {
  const { at } = p
  if (p.version === 2)
    throw new Fault('unsupported', at, 'A matrix needs OpenQASM 3: its entries are complex')
  p.next()
  p.expectName()
  p.expectName()
  p.expect('(')
  const rows = parseList(p, () => parseList(p, () => parseExpression(p)))
  p.expect(')')
  const operands = p.list(() => parseOperand(p), 'eof')
  if (p.at < end) throw p.unexpected('the end of the line')
  return { kind: 'unitary', at, rows, operands }
}

function parseList<T extends Expression | Expression[]>(p: Cursor, item: () => T): T[] {
  p.expect('[')
  const items = p.list(item, ']')
  p.expect(']')
  return items
}
