import { OPERATORS, type Operator } from './ast.ts'
import { badFilter, shortened } from './limits.ts'

/** A token of a filter; `at` counts characters from 1. */
export type Token = { at: number } & (
  | { kind: 'identifier' | 'call'; name: string }
  | { kind: 'number'; value: number }
  | { kind: 'text'; value: string }
  | { kind: 'operator'; operator: Operator; any: boolean }
  | { kind: 'join'; join: 'and' | 'or' }
  | { kind: '(' | ')' | ',' }
  | { kind: 'end' }
)

/** White space and comments. */
const SKIPPED = /(?:[ \t\n]|\/\/[^\n]*)+/y
const IDENTIFIER = /[@_#A-Za-z][A-Za-z0-9_.:]*/y
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?/y
/** Characters that must not follow a number directly. */
const NUMBER_TAIL = /[A-Za-z0-9_.:@#]/y
const SIGNS = /[=?!<>~]+/y
const JOINS = /[&|]+/y
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  '"': '"',
  "'": "'",
}

/**
 * Splits a filter into tokens, the last one of kind `end`.
 * @throws AppError `invalid` naming the character at which no token can start.
 */
export function tokens(text: string): Token[] {
  const found: Token[] = []
  let at = 0

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const taken = pattern.exec(text)?.[0]
    if (taken !== undefined) at += taken.length
    return taken
  }

  for (;;) {
    take(SKIPPED)
    const start = at + 1
    const first = text[at]
    if (first === undefined) return [...found, { kind: 'end', at: start }]
    if (first === '(' || first === ')' || first === ',') {
      at++
      found.push({ kind: first, at: start })
    } else if (first === '"' || first === "'") {
      const quoted = readText(text, at)
      at = quoted.end
      found.push({ kind: 'text', value: quoted.value, at: start })
    } else {
      found.push(readWord(take, start) ?? unknownCharacter(first, start))
    }
  }
}

function unknownCharacter(character: string, at: number): never {
  throw badFilter(`The filter has an unexpected ${JSON.stringify(character)} at character ${at}`)
}

function readWord(take: (pattern: RegExp) => string | undefined, at: number): Token | undefined {
  const name = take(IDENTIFIER)
  if (name !== undefined) return readName(name, take, at)
  const digits = take(NUMBER)
  if (digits !== undefined) {
    const tail = take(NUMBER_TAIL)
    if (tail === undefined) return { kind: 'number', value: Number(digits), at }
    throw badFilter(
      `The number ${shortened(digits + tail)} at character ${at} is malformed; write it as -12.5`,
    )
  }
  const sign = take(SIGNS)
  if (sign !== undefined) return readOperator(sign, at)
  const join = take(JOINS)
  if (join === '&&') return { kind: 'join', join: 'and', at }
  if (join === '||') return { kind: 'join', join: 'or', at }
  if (join !== undefined) throw badFilter(`Write && or || instead of ${shortened(join)} at character ${at}`)
  return undefined
}

function readName(name: string, take: (pattern: RegExp) => string | undefined, at: number): Token {
  if (name.endsWith('.') || name.endsWith(':')) {
    throw badFilter(`The name ${shortened(name)} at character ${at} must not end in . or :`)
  }
  return { kind: take(/\(/y) === undefined ? 'identifier' : 'call', name, at }
}

function readOperator(sign: string, at: number): Token {
  const any = sign.startsWith('?')
  const operator = OPERATORS.find((each) => each === (any ? sign.slice(1) : sign))
  if (operator) return { kind: 'operator', operator, any, at }
  throw badFilter(
    `${shortened(sign)} at character ${at} is not an operator; the operators are ${OPERATORS.join(' ')}`,
  )
}

/** Reads a quoted text that begins at `start`. The returned end is the index after the closing quote. */
function readText(text: string, start: number): { value: string; end: number } {
  const quote = text[start]
  let value = ''
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === quote) return { value, end: at + 1 }
    const next = text[at + 1]
    if (character !== '\\' || next === undefined) {
      value += character
      continue
    }
    // JSON strings use these escapes; any other backslash is literal, as in PocketBase.
    value += ESCAPES[next] ?? `\\${next}`
    at++
  }
  throw badFilter(`The text that begins at character ${start + 1} is not closed with ${quote}`)
}
