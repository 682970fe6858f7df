/** An exact fraction; the denominator is positive. Not always in lowest terms. */
export interface Rational {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** Bits of numerator and denominator below which a fraction is not reduced, and that it may have then. */
const BITS = { unreduced: 160n, allowed: 2_048n }
const UNREDUCED = 1n << BITS.unreduced
const ALLOWED = 1n << BITS.allowed
/** Largest integer that is a double along with all smaller ones. */
const SAFE = BigInt(Number.MAX_SAFE_INTEGER)
/** Powers of ten that a decimal number may be multiplied by; doubles have 308. */
const MAX_EXPONENT = 400

export const ZERO: Rational = { numerator: 0n, denominator: 1n }

/** Whether a fraction has so many digits that arithmetic on it takes far longer than on numbers. */
export function isLong({ numerator, denominator }: Rational): boolean {
  return denominator > UNREDUCED || sizeOf(numerator) > UNREDUCED
}

/**
 * numerator / denominator, with the sign in the numerator. Undefined if its lowest terms have more than 2,048
 * bits; the denominator must not be zero.
 */
export function rational(numerator: bigint, denominator = 1n): Rational | undefined {
  const [top, bottom] = denominator < 0n ? [-numerator, -denominator] : [numerator, denominator]
  const plain = { numerator: top, denominator: bottom }
  if (!isLong(plain)) return plain
  const divisor = greatestDivisor(sizeOf(top), bottom)
  const reduced = { numerator: top / divisor, denominator: bottom / divisor }
  return reduced.denominator > ALLOWED || sizeOf(reduced.numerator) > ALLOWED ? undefined : reduced
}

function sizeOf(value: bigint): bigint {
  return value < 0n ? -value : value
}

function greatestDivisor(one: bigint, other: bigint): bigint {
  let [a, b] = [one, other]
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

/** a + b. */
export function sum(a: Rational, b: Rational): Rational | undefined {
  if (a.denominator === b.denominator) return rational(a.numerator + b.numerator, a.denominator)
  return rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
}

/** -a. */
export function negated({ numerator, denominator }: Rational): Rational {
  return { numerator: -numerator, denominator }
}

/** a b. */
export function product(a: Rational, b: Rational): Rational | undefined {
  return rational(a.numerator * b.numerator, a.denominator * b.denominator)
}

/** a / b; b must not be zero. */
export function quotient(a: Rational, b: Rational): Rational | undefined {
  return rational(a.numerator * b.denominator, a.denominator * b.numerator)
}

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function compareRationals(a: Rational, b: Rational): number {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator]
  return left < right ? -1 : left > right ? 1 : 0
}

/** The integer nearest to a; of two equally near ones the greater. */
export function nearestInteger({ numerator, denominator }: Rational): bigint {
  const doubled = 2n * numerator + denominator
  const whole = doubled / (2n * denominator)
  return doubled < 0n && whole * 2n * denominator !== doubled ? whole - 1n : whole
}

/** A decimal number such as `12.5e-3`, without underscores; undefined far beyond the range of doubles. */
export function parseDecimal(text: string): Rational | undefined {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const exponent = Number(power) - fraction.length
  if (Math.abs(exponent) > MAX_EXPONENT || whole.length > MAX_EXPONENT) return undefined
  const digits = BigInt(whole + fraction) * (mantissa.startsWith('-') ? -1n : 1n)
  return exponent < 0
    ? rational(digits, 10n ** BigInt(-exponent))
    : rational(digits * 10n ** BigInt(exponent))
}

/** The shortest decimal number that reads as this double: what a person has written. It has to be finite. */
export function decimalOf(value: number): Rational | undefined {
  return Number.isSafeInteger(value) ? rational(BigInt(value)) : parseDecimal(String(value))
}

/** The double nearest to a; of two equally near ones the even. */
export function toDouble({ numerator, denominator }: Rational): number {
  const size = sizeOf(numerator)
  if (size <= SAFE && denominator <= SAFE) return Number(numerator) / Number(denominator)
  // A quotient of more bits than a double has, the last of which says whether something remains.
  const shift = BigInt(bitsOf(denominator) - bitsOf(size) + 70)
  const [top, bottom] = shift > 0n ? [size << shift, denominator] : [size, denominator << -shift]
  const whole = top / bottom
  const marked = whole * bottom === top ? whole : whole | 1n
  const scaled = scale(Number(marked), -Number(shift))
  return numerator < 0n ? -scaled : scaled
}

/** Bits of a positive integer, or up to three more. */
function bitsOf(value: bigint): number {
  return value.toString(16).length * 4
}

/** value 2^exponent in two steps, because 2^exponent alone may be beyond the range of doubles. */
function scale(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2)
  return value * 2 ** half * 2 ** (exponent - half)
}
