import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  compareRationals,
  decimalOf,
  nearestInteger,
  type Rational,
  rational,
  toDouble,
} from '../../src/qasm/rational.ts'

/** The exact value of a finite double. */
function exactly(value: number): Rational {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  const high = bits.getBigUint64(0)
  const exponent = Number((high >> 52n) & 0x7ffn)
  const fraction = high & ((1n << 52n) - 1n)
  const size = exponent === 0 ? fraction : fraction | (1n << 52n)
  const power = Math.max(exponent, 1) - 1075
  const signed = value < 0 ? -size : size
  return power < 0
    ? { numerator: signed, denominator: 1n << BigInt(-power) }
    : { numerator: signed << BigInt(power), denominator: 1n }
}

/** The next double above a positive one; with -1 the one below. */
function neighbor(value: number, step: bigint): number {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  bits.setBigUint64(0, bits.getBigUint64(0) + step)
  return bits.getFloat64(0)
}

const distance = (a: Rational, b: Rational): Rational => {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator
  return { numerator: difference < 0n ? -difference : difference, denominator: a.denominator * b.denominator }
}

const sizeOf = fc.oneof(fc.bigInt(1n, 1n << 60n), fc.bigInt(1n, 1n << 400n))

describe('toDouble()', () => {
  test('returns the nearest double', () => {
    fc.assert(
      fc.property(sizeOf, sizeOf, (numerator, denominator) => {
        const value = { numerator, denominator }
        const found = toDouble(value)
        expect(toDouble({ numerator: -numerator, denominator })).toBe(-found)
        for (const other of [neighbor(found, 1n), neighbor(found, -1n)]) {
          expect(
            compareRationals(distance(value, exactly(found)), distance(value, exactly(other))),
          ).toBeLessThanOrEqual(0)
        }
      }),
    )
  })

  test('returns the even one of two equally near', () => {
    for (const base of [2 ** 53, 2 ** 90, 3 * 2 ** 60]) {
      const [low, high] = [exactly(base), exactly(neighbor(base, 1n))]
      const middle = { numerator: low.numerator + high.numerator, denominator: 2n }
      expect(toDouble(middle)).toBe(base)
      expect(toDouble({ ...middle, numerator: middle.numerator + 1n })).toBe(neighbor(base, 1n))
    }
  })
})

test('decimalOf() is the number as it is written', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const decimal = decimalOf(value)
      if (decimal !== undefined) expect(toDouble(decimal)).toBe(value === 0 ? 0 : value)
      else expect(Math.abs(value)).toBeLessThan(1e-300)
    }),
  )
  expect(
    compareRationals(decimalOf(0.1) ?? { numerator: 0n, denominator: 1n }, {
      numerator: 1n,
      denominator: 10n,
    }),
  ).toBe(0)
})

test('nearestInteger() rounds, halves upwards', () => {
  const rounded = [-7n, -6n, -5n, -4n, -3n, -2n, -1n, 0n, 1n, 2n, 3n, 5n, 6n, 7n].map((numerator) =>
    nearestInteger({ numerator, denominator: 4n }),
  )
  expect(rounded).toEqual([-2n, -1n, -1n, -1n, -1n, 0n, 0n, 0n, 0n, 1n, 1n, 1n, 2n, 2n])
})

test('rational() keeps the sign in the numerator and has a limit of digits', () => {
  expect(rational(3n, -4n)).toEqual({ numerator: -3n, denominator: 4n })
  expect(rational(6n << 200n, 4n << 200n)).toEqual({ numerator: 3n, denominator: 2n })
  expect(rational(1n << 2_049n, 3n)).toBeUndefined()
})
