import { Fault } from '../fault.ts'
import { decimalOf, negated, product, quotient, type Rational, rational, sum, toDouble } from '../rational.ts'
import { toBigInt, toNumber } from './convert.ts'
import type { ArithmeticOperator } from './operator.ts'
import { durationValue, type Value } from './values.ts'

/** A known number or duration (s) as a fraction. A double is the shortest decimal that is read as it. */
export function exactOf(value: Value, at: number): Rational {
  if (value.kind === 'duration') return value.seconds
  if (value.kind === 'float') {
    const number = toNumber(value)
    return value.exact ?? inRange(Number.isFinite(number) ? decimalOf(number) : undefined, at)
  }
  return inRange(rational(toBigInt(value, at)), at)
}

function inRange(value: Rational | undefined, at: number): Rational {
  if (value !== undefined) return value
  throw new Fault('invalid_value', at, 'This time has no value, or one of too many digits: round its factors')
}

/** A sum or multiple of times, without rounding. */
export function durationBinary(operator: ArithmeticOperator, left: Value, right: Value, at: number): Value {
  const [a, b] = [exactOf(left, at), exactOf(right, at)]
  switch (operator) {
    case '+':
      return durationValue(inRange(sum(a, b), at))
    case '-':
      return durationValue(inRange(sum(a, negated(b)), at))
    case '*':
      return durationValue(inRange(product(a, b), at))
    default:
      return durationValue(ratio(a, b, at))
  }
}

/** The quotient of two times: a real number that keeps its exact value until it is computed with. */
export function durationRatio(left: Value, right: Value, at: number): Value {
  const exact = ratio(exactOf(left, at), exactOf(right, at), at)
  return { kind: 'float', width: 64, value: toDouble(exact), exact }
}

function ratio(a: Rational, b: Rational, at: number): Rational {
  if (b.numerator === 0n) throw new Fault('invalid_value', at, 'Division by zero')
  return inRange(quotient(a, b), at)
}
