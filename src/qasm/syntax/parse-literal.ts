import { Fault } from '../fault.ts'
import { parseDecimal, product, type Rational } from '../rational.ts'
import { durationValue, floatValue, freshBits, literalInt, type Value } from '../values/values.ts'
import type { Expression } from './ast.ts'
import type { Cursor } from './cursor.ts'

/** Parses a literal. */
export function parseLiteral(p: Cursor): Expression {
  switch (p.kind) {
    case 'integer':
      return literal(p, integer(p))
    case 'real':
      return literal(p, floatValue(Number(plainDigits(p))))
    case 'imaginary':
      return literal(p, { kind: 'complex', re: 0, im: Number.parseFloat(plainDigits(p)) })
    case 'timing':
      return literal(p, durationValue(timingSeconds(p)))
    case 'true':
    case 'false':
      return literal(p, { kind: 'bool', value: p.kind === 'true' })
    default:
      return literal(p, bitString(p))
  }
}

function literal(p: Cursor, value: Value): Expression {
  const { at } = p
  p.next()
  return { kind: 'literal', at, value }
}

/** Small integers, which are frequent in programs, created once. */
const small = Array.from({ length: 256 }, (_, value) => literalInt(BigInt(value)))

function integer(p: Cursor): Value {
  return small[Number(p.lexer.lexeme())] ?? literalInt(BigInt(integerDigits(p)))
}

/** Digits of an integer literal: enough for the widest register in any base. */
function integerDigits(p: Cursor): string {
  const digits = plainDigits(p)
  const [, prefix = ''] = /^(0[box])/i.exec(digits) ?? []
  const allowed = prefix === '' ? Math.ceil(p.limits.bits * Math.log10(2)) : p.limits.bits
  if (digits.length - prefix.length > allowed)
    throw new Fault('invalid_value', p.at, `This number has more than ${allowed} digits`)
  return digits
}

function plainDigits(p: Cursor): string {
  const text = p.lexer.lexeme()
  return text.includes('_') ? text.replaceAll('_', '') : text.replace('0B', '0b').replace('0X', '0x')
}

/** Decimal places of the units of time besides `dt`. */
const PLACES: Readonly<Record<string, number>> = { s: 0, ms: 3, us: 6, µs: 6, μs: 6, ns: 9 }
const NANOSECOND: Rational = { numerator: 1n, denominator: 10n ** 9n }

/** One `dt` for a time that is read now, which is the device's: the decimal number that it publishes. */
export function dtOf(p: Cursor): Rational {
  p.usesDt = true
  const { dt } = p.limits
  return (dt === undefined ? undefined : parseDecimal(String(dt))) ?? NANOSECOND
}

/** Seconds of a timing literal. */
function timingSeconds(p: Cursor): Rational {
  const [, number = '', unit = ''] = /^([\d.]+(?:e[-+]?\d+)?)\s*(\D+)$/i.exec(plainDigits(p)) ?? []
  const value = parseDecimal(number)
  const one = unit === 'dt' ? dtOf(p) : { numerator: 1n, denominator: 10n ** BigInt(PLACES[unit] ?? 0) }
  const seconds = value && product(value, one)
  if (seconds) return seconds
  throw new Fault('invalid_value', p.at, 'This time is beyond the range of numbers')
}

function bitString(p: Cursor): Value {
  const text = p.lexer.lexeme()
  if (p.version === 2 || !/^"[01](_?[01])*"$/.test(text)) throw p.unexpected('an expression')
  const digits = text.slice(1, -1).replaceAll('_', '')
  if (digits.length > p.limits.bits) {
    throw new Fault(
      'too_many_bits',
      p.at,
      `This register has ${digits.length} bits; ${p.limits.bits} are allowed`,
    )
  }
  const states = Array.from(digits, (digit) => (digit === '1' ? 1 : 0)).reverse()
  return freshBits(states, false)
}

/** `$n`. */
export function parseHardware(p: Cursor): Expression {
  const { at } = p
  const index = Number(p.lexer.lexeme().slice(1))
  p.next()
  return { kind: 'hardware', at, index }
}
