import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { secondsOf } from '../../../src/qasm/index.ts'
import { faultOf, lower, opsOf, program3, runWith } from '../support.ts'

/** A fraction as the tests compute it: without limits, always in lowest terms. */
interface Fraction {
  n: bigint
  d: bigint
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b))

function fraction(n: bigint, d: bigint): Fraction {
  const divisor = gcd(n, d) * (d < 0n ? -1n : 1n)
  return { n: n / divisor, d: d / divisor }
}

const add = (a: Fraction, b: Fraction) => fraction(a.n * b.d + b.n * a.d, a.d * b.d)
const times = (a: Fraction, b: Fraction) => fraction(a.n * b.n, a.d * b.d)
const over = (a: Fraction, b: Fraction) => fraction(a.n * b.d, a.d * b.n)
const negative = (a: Fraction) => fraction(-a.n, a.d)
const sign = (a: Fraction) => (a.n < 0n ? -1 : a.n > 0n ? 1 : 0)

/** An expression of the language with its exact value. */
interface Expression {
  text: string
  value: Fraction
}

const units: [string, bigint][] = [
  ['s', 1n],
  ['ms', 1_000n],
  ['us', 1_000_000n],
  ['µs', 1_000_000n],
  ['ns', 1_000_000_000n],
  ['dt', 1_000_000_000n],
]

/** A decimal number with up to 4 digits behind the point. */
const decimalOf = fc.tuple(fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 0, max: 4 })).map(
  ([digits, places]): Expression => ({
    text: places === 0 ? `${digits}` : (digits / 10 ** places).toFixed(places),
    value: fraction(BigInt(digits), 10n ** BigInt(places)),
  }),
)
const literalOf = fc.tuple(decimalOf, fc.constantFrom(...units)).map(
  ([{ text, value }, [unit, parts]]): Expression => ({
    text: `${text}${unit}`,
    value: over(value, fraction(parts, 1n)),
  }),
)
const timeOf = fc.letrec<{ time: Expression }>((tie) => ({
  time: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    literalOf,
    fc.tuple(tie('time'), tie('time')).map(([a, b]) => ({
      text: `(${a.text} + ${b.text})`,
      value: add(a.value, b.value),
    })),
    fc.tuple(tie('time'), tie('time')).map(([a, b]) => ({
      text: `(${a.text} - ${b.text})`,
      value: add(a.value, negative(b.value)),
    })),
    fc.tuple(decimalOf, tie('time')).map(([factor, a]) => ({
      text: `(${factor.text} * ${a.text})`,
      value: times(factor.value, a.value),
    })),
    fc.tuple(tie('time'), decimalOf).map(([a, divisor]) => ({
      text: `(${a.text} / ${divisor.text})`,
      value: over(a.value, divisor.value),
    })),
    tie('time').map((a) => ({ text: `-${a.text}`, value: negative(a.value) })),
  ),
})).time

/** The bits of the only register of a program, as a number. */
const registerOf = (body: string, values: number[] = []) =>
  runWith(program3(body), values, 0).bits.reduceRight((sum, bit) => 2 * sum + bit, 0)

describe('times, compared with fractions', () => {
  test('are compared exactly, also those that are equal by another way', () => {
    fc.assert(
      fc.property(timeOf, timeOf, fc.integer({ min: 1, max: 999 }), (a, b, count) => {
        const same: Expression[] = [
          { text: `${a.text} * ${count} / ${count}`, value: a.value },
          { text: `${a.text} / ${count} * ${count}`, value: a.value },
          { text: `${a.text} + ${b.text} - ${b.text}`, value: a.value },
        ]
        for (const other of [b, ...same]) {
          const order = sign(add(a.value, negative(other.value)))
          const holds = [order === 0, order !== 0, order < 0, order <= 0, order > 0, order >= 0]
          const operators = ['==', '!=', '<', '<=', '>', '>=']
          const sums = operators.map((operator, at) => `c[${at}] = ${a.text} ${operator} ${other.text};`)
          expect(registerOf(`bit[6] c; ${sums.join(' ')}`)).toBe(
            holds.reduceRight((sum, each) => 2 * sum + Number(each), 0),
          )
        }
      }),
      { numRuns: 150 },
    )
  })

  test('divide to the exact integer or real number', () => {
    fc.assert(
      fc.property(timeOf, timeOf, fc.integer({ min: -50, max: 50 }), (a, b, count) => {
        if (b.value.n === 0n) return
        const { n, d } = over(a.value, b.value)
        const whole = BigInt.asIntN(64, n / d)
        const steps = `int[64] n = int(${a.text} / ${b.text}); bit c = n == ${whole};`
        expect(registerOf(steps)).toBe(1)
        const exactly = `int[64] m = int((${count} * ${b.text}) / ${b.text}); bit c = m == ${count};`
        expect(registerOf(exactly)).toBe(1)
        expect(registerOf(`bit c = ${a.text} / ${b.text} * ${b.text} == ${a.text};`)).toBe(1)
      }),
      { numRuns: 150 },
    )
  })

  test('count the steps of loops', () => {
    fc.assert(
      fc.property(
        literalOf,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 9 }),
        (step, count, tenths) => {
          const total = `${count} * ${step.text} + 0.${tenths} * ${step.text}`
          const loop = `duration time = 0ns; int n = 0; while (time < ${total}) { time += ${step.text}; n += 1; } bit[8] c = uint[8](n);`
          expect(registerOf(loop)).toBe(count + (tenths > 0 ? 1 : 0))
          const range = `int n = 0; for int i in [1:int((${total}) / ${step.text})] { n += 1; } bit[8] c = uint[8](n);`
          expect(registerOf(range)).toBe(count)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('reach the operations as exact seconds', () => {
    fc.assert(
      fc.property(timeOf, (time) => {
        if (time.value.n < 0n) return
        const [op] = opsOf(program3(`qubit q; duration d = ${time.text}; delay[d] q;`))
        if (op?.kind !== 'delay') throw new Error('There is no delay')
        const { numerator, denominator } = op.duration
        expect(numerator * time.value.d).toBe(denominator * time.value.n)
      }),
      { numRuns: 150 },
    )
  })
})

describe('times', () => {
  test('of the same number are equal in all units and notations', () => {
    const forms = [
      '0.1us',
      '100ns',
      '1e2ns',
      '100_000e-3 ns',
      '0.0001ms',
      '1.e-7s',
      '.1µs',
      '100dt',
      '1E-1μs',
    ]
    for (const form of forms) expect([form, registerOf(`bit c = ${form} == 100ns;`)]).toEqual([form, 1])
  })

  test('keep their value in arrays, arguments, loops over sets and inputs', () => {
    expect(registerOf('array[duration, 2] a = {0.1us, 0.2us}; bit c = a[0] + a[1] == 0.3us;')).toBe(1)
    expect(registerOf('def f(duration d) -> duration { return 3 * d; } bit c = f(0.1us) == 300ns;')).toBe(1)
    const loop = 'duration sum = 0s; for duration d in {0.1us, 0.2us} { sum += d; } bit c = sum == 0.3us;'
    expect(registerOf(loop)).toBe(1)
    expect(registerOf('input duration d; bit c = 3 * d == 0.3us;', [1e-7])).toBe(1)
    expect(registerOf('float f = 0.1; angle a = pi; bit c = f * 1us == 100ns && 1/3 * 300ns == 100ns;')).toBe(
      1,
    )
  })

  test('are rounded once to a double, for models of noise', () => {
    const ops = opsOf(program3('qubit q; delay[3 * 100ns] q; delay[1us / 3] q; delay[0.1us + 0.2us] q;'))
    expect(ops.flatMap((op) => (op.kind === 'delay' ? secondsOf(op) : []))).toEqual([
      3e-7, 3.3333333333333335e-7, 3e-7,
    ])
  })

  test('that do not exist are refused', () => {
    for (const text of ['1ns / 0', '1ns / 0.0', '1ns * (1.0 / 0.0)', '1ns * sqrt(-1.0)', '1e500ns']) {
      expect([text, faultOf(() => lower(program3(`qubit q; delay[${text}] q;`)))?.[0]]).toEqual([
        text,
        'invalid_value',
      ])
    }
    expect(faultOf(() => lower('const float f = 1ns / 0ns;'))?.[0]).toBe('invalid_value')
    expect(faultOf(() => lower(program3('qubit q; delay[-1ns] q;')))?.[0]).toBe('invalid_value')
  })

  test('end at a limit of digits instead of growing, and long ones count as work', () => {
    const growing = 'duration d = 1ns; for int i in [1:5000] { d *= 1.1; }'
    expect(faultOf(() => lower(program3(growing)))?.[0]).toBe('invalid_value')
    const long = `const duration d = 1ns${' * 1.1'.repeat(500)}; bit c = d${' * 1.1 / 1.1'.repeat(5_000)} == d;`
    expect(faultOf(() => lower(program3(long)))?.[0]).toBe('too_many_operations')
  })
})
