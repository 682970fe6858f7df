import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkProgram, inputProblem } from '../../../src/qasm/index.ts'
import { faultOf, lower, program2, program3, runWith } from '../support.ts'

type Kind = 'int' | 'uint'

/** Widths around those of doubles and machine words, and others. */
const widthOf = fc.oneof(
  fc.constantFrom(1, 52, 53, 54, 55, 63, 64, 65, 128),
  fc.integer({ min: 1, max: 300 }),
)
const kindOf = fc.constantFrom<Kind>('int', 'uint')

/** An integer of up to `bits` bits, often near a power of two. */
const integerOf = (bits: number) => {
  const limit = 1n << BigInt(bits)
  const near = fc.tuple(fc.integer({ min: 0, max: bits }), fc.integer({ min: -3, max: 3 }))
  return fc.oneof(
    fc.bigInt(-limit, limit),
    near.map(([power, added]) => (1n << BigInt(power)) + BigInt(added)),
  )
}

const wrap = (kind: Kind, width: number, value: bigint) =>
  kind === 'int' ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value)

/** The bits of the only register of a program, as an integer. */
function registerOf(text: string, outcome: (qubit: number) => 0 | 1 = () => 0): bigint {
  const { bits } = runWith(text, [], outcome)
  return bits.reduceRight((sum, bit) => 2n * sum + BigInt(bit), 0n)
}

/** A literal in one of its forms; negative numbers only in decimal. */
const literalOf = (value: bigint, form: number) =>
  value < 0n || form === 0
    ? `${value}`
    : `${['', '0x', '0b', '0o'][form]}${value.toString([10, 16, 2, 8][form])}`

const operations: Record<string, (a: bigint, b: bigint) => bigint> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => (b === 0n ? 0n : a / b),
  '%': (a, b) => (b === 0n ? 0n : a % b),
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
}
const comparisons: Record<string, (a: bigint, b: bigint) => boolean> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

describe('integers of any width, compared with BigInt', () => {
  const pair = fc.tuple(widthOf, kindOf).chain(([width, kind]) =>
    fc.record({
      width: fc.constant(width),
      kind: fc.constant(kind),
      a: integerOf(width),
      b: integerOf(width),
      form: fc.integer({ min: 0, max: 3 }),
    }),
  )

  test('arithmetic and bitwise operations wrap around in their type', () => {
    const operator = fc.constantFrom(...Object.keys(operations))
    fc.assert(
      fc.property(pair, operator, ({ width, kind, a, b, form }, sign) => {
        const [x, y] = [wrap(kind, width, a), wrap(kind, width, b)]
        if (y === 0n && (sign === '/' || sign === '%')) return
        const text = `${kind}[${width}] a = ${literalOf(a, form)}; ${kind}[${width}] b = ${literalOf(b, form)}; bit[${width}] c = a ${sign} b;`
        expect(registerOf(text)).toBe(BigInt.asUintN(width, operations[sign]?.(x, y) ?? -1n))
      }),
      { numRuns: 400 },
    )
  })

  test('comparisons, also with literals and registers', () => {
    const operator = fc.constantFrom(...Object.keys(comparisons))
    fc.assert(
      fc.property(
        pair,
        operator,
        fc.integer({ min: -1, max: 1 }),
        ({ width, kind, a, b, form }, sign, added) => {
          const x = wrap(kind, width, a)
          for (const other of [wrap(kind, width, b), x, x + BigInt(added)]) {
            const text = `${kind}[${width}] a = ${x}; bit c = a ${sign} ${literalOf(other, form)};`
            expect(registerOf(text)).toBe(comparisons[sign]?.(x, other) ? 1n : 0n)
            const pattern = BigInt.asUintN(width, x)
            const register = `const bit[${width}] r = "${pattern.toString(2).padStart(width, '0')}"; bit c = r ${sign} ${other};`
            expect(registerOf(register)).toBe(comparisons[sign]?.(pattern, other) ? 1n : 0n)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test('shifts, powers, negation and casts', () => {
    fc.assert(
      fc.property(
        pair,
        fc.integer({ min: 0, max: 320 }),
        widthOf,
        kindOf,
        ({ width, kind, a }, count, to, other) => {
          const x = wrap(kind, width, a)
          const declared = `${kind}[${width}] a = ${a}; `
          const bitsOf = (value: bigint) => BigInt.asUintN(width, value)
          const distance = BigInt(count)
          expect(registerOf(`${declared}bit[${width}] c = a << ${count};`)).toBe(bitsOf(x << distance))
          expect(registerOf(`${declared}bit[${width}] c = a >> ${count};`)).toBe(bitsOf(x >> distance))
          expect(registerOf(`${declared}bit[${width}] c = -a;`)).toBe(bitsOf(-x))
          expect(registerOf(`${declared}bit[${width}] c = ~a;`)).toBe(bitsOf(~x))
          expect(registerOf(`${declared}bit[${width}] c = a ** ${count % 7};`)).toBe(
            bitsOf(x ** BigInt(count % 7)),
          )
          expect(registerOf(`${declared}bit[${to}] c = ${other}[${to}](a);`)).toBe(BigInt.asUintN(to, x))
          expect(registerOf(`${declared}bit[${to}] c = ${other}[${to}](bit[${width}](a));`)).toBe(
            BigInt.asUintN(to, bitsOf(x)),
          )
        },
      ),
      { numRuns: 200 },
    )
  })

  test('a condition of OpenQASM 2 on measured bits', () => {
    fc.assert(
      fc.property(
        widthOf,
        fc.bigInt(0n, (1n << 300n) - 1n),
        fc.integer({ min: -1, max: 1 }),
        (width, drawn, added) => {
          const measured = BigInt.asUintN(width, drawn)
          const wanted = measured + BigInt(added)
          if (wanted < 0n) return
          const text = program2(
            `qreg q[${width}]; qreg d[1]; creg c[${width}]; measure q -> c; if(c==${wanted}) x d[0];`,
          )
          const { ops } = runWith(text, [], (qubit) => Number((measured >> BigInt(qubit)) & 1n) as 0 | 1)
          expect(ops.filter(({ kind }) => kind === 'unitary')).toHaveLength(added === 0 ? 1 : 0)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('a condition and a switch of OpenQASM 3 on measured bits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 54, max: 300 }), fc.bigInt(0n, (1n << 300n) - 2n), (width, drawn) => {
        const measured = BigInt.asUintN(width, drawn)
        const outcome = (qubit: number) => Number((measured >> BigInt(qubit)) & 1n) as 0 | 1
        const head = `qubit[${width}] q; bit[${width}] r = measure q; output bit[2] c;`
        const conditions = `if (r == ${measured}) c[0] = 1; if (r != ${measured + 1n}) c[1] = 1;`
        expect(registerOf(`${head} ${conditions}`, outcome)).toBe(3n)
        const cases = `case ${measured + 1n} { c[0] = 1; } case ${measured} { c[1] = 1; }`
        expect(registerOf(`${head} switch (uint[${width}](r)) { ${cases} }`, outcome)).toBe(2n)
      }),
      { numRuns: 100 },
    )
  })

  test('the range of a loop', () => {
    fc.assert(
      fc.property(
        integerOf(200),
        fc.integer({ min: 0, max: 9 }),
        fc.bigInt(1n, 1n << 90n),
        (start, count, step) => {
          const stop = start + BigInt(count) * step
          const text = `int[250] sum = 0; for int[250] i in [${start}:${step}:${stop}] { sum += i; } bit[250] c = sum;`
          const steps = Array.from({ length: count + 1 }, (_, at) => start + BigInt(at) * step)
          expect(registerOf(text)).toBe(
            BigInt.asUintN(
              250,
              steps.reduce((sum, each) => sum + each, 0n),
            ),
          )
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('functions of wide integers', () => {
  const wide = (1n << 100n) + 5n

  test('popcount, rotl, rotr, mod and pow use all bits', () => {
    expect(registerOf(`uint[101] a = ${wide}; uint n = popcount(a); bit[64] c = n;`)).toBe(3n)
    expect(registerOf(`uint[101] a = ${wide}; bit[101] c = rotl(a, 1);`)).toBe(11n)
    expect(registerOf(`uint[101] a = ${wide}; bit[101] c = rotr(a, 1);`)).toBe(
      (1n << 99n) + (1n << 100n) + 2n,
    )
    const register = `const bit[101] r = "${wide.toString(2)}";`
    expect(registerOf(`${register} bit[101] c = mod(r, ${1n << 90n});`)).toBe(5n)
    expect(registerOf(`${register} bit[101] c = pow(r, 1);`)).toBe(wide)
    expect(registerOf(`${register} bit[101] c = -r;`)).toBe(BigInt.asUintN(101, -wide))
  })

  test('a literal beyond a machine word has no pattern of its own', () => {
    expect(faultOf(() => lower(`uint n = popcount(${wide});`))?.[0]).toBe('invalid_value')
    expect(registerOf(`bit[64] c = popcount(${(1n << 64n) - 1n}) + popcount(-1);`)).toBe(128n)
  })

  test('literals go up to the widest register', () => {
    const value = (1n << 65_536n) - 1n
    for (const text of [`${value}`, `0x${value.toString(16)}`, `0b${value.toString(2)}`]) {
      expect(registerOf(`const bit[65535] r = 0; bit c = r < ${text};`)).toBe(1n)
    }
    expect(faultOf(() => lower(`bool b = 1 < 1${value};`))?.[0]).toBe('invalid_value')
    expect(faultOf(() => lower('const int n = (1 << 4000) << 4000;'))?.[0]).toBe('invalid_value')
  })
})

describe('where OpenQASM 2 means an integer', () => {
  test('a real number is refused', () => {
    for (const body of [
      'qreg q[2.0];',
      'qreg q[2]; x q[1.0];',
      'qreg q[2]; creg c[2e0];',
      'qreg q[2]; creg c[2]; measure q[0] -> c[1.0];',
      'qreg q[2]; creg c[2]; if(c==1.0) x q[0];',
      'qreg q[2]; creg c[2]; if(c==pi) x q[0];',
      'qreg q[2]; h q[3/2];',
    ]) {
      expect([body, checkProgram(program2(body)).problems[0]?.code]).toEqual([body, 'type_mismatch'])
    }
  })

  test('arithmetic of angles stays real', () => {
    const ops = runWith(
      program2('qreg q[1]; rx(1/2) q[0]; rx(2^-1) q[0]; rx(7/2-3) q[0]; rx(sqrt(1)/2) q[0];'),
      [],
      0,
    ).ops
    for (const op of ops) expect(op).toEqual(ops[0] as never)
  })
})

describe('the value of an input', () => {
  const text = program3('input uint[8] n; bit[8] c = n;')

  test('is an integer that the type holds, and that JSON has not rounded', () => {
    expect(runWith(text, [200], 0).bits.reduceRight((sum, bit) => 2 * sum + bit, 0)).toBe(200)
    for (const value of [256, -1, 1.5, Number.POSITIVE_INFINITY]) {
      expect(faultOf(() => runWith(text, [value], 0))?.[0]).toBe('invalid_value')
    }
    expect(faultOf(() => runWith(program3('input int[64] n;'), [2 ** 53], 0))?.[0]).toBe('invalid_value')
    expect(faultOf(() => runWith(program3('input int[64] n;'), [2 - 2 ** 53], 0))).toBeUndefined()
  })

  test.each([
    ['uint[8]', [0, 255], [-1, 256, 0.5, 300], 'an integer from 0 to 255: 300 is out of range'],
    ['int[8]', [-128, 127], [-129, 128, 300], 'an integer from -128 to 127: 300 is out of range'],
    [
      'int',
      [-(2 ** 53) + 1, 2 ** 53 - 1],
      [2 ** 53, 1e300, 0.1],
      'an integer from -2^63 to 2^63 - 1: 0.1 is not',
    ],
    ['uint', [0], [-1], 'an integer from 0 to 2^64 - 1: -1 is out of range'],
    ['uint[100]', [2 ** 53 - 1], [-1], 'an integer from 0 to 2^100 - 1: -1 is out of range'],
    ['bit[3]', [0, 7], [8, -1, 1.5], 'an integer from 0 to 7: 1.5 is not an integer'],
    ['bit', [0, 1], [2, -1, 0.5], 'an integer from 0 to 1: 0.5 is not an integer'],
    ['bool', [0, 1], [2, -1, 0.5], 'an integer from 0 to 1: 0.5 is not an integer'],
    ['float[32]', [3e38, -1e-50], [3.5e38, -1e300], 'a number between -3.4028e38 and 3.4028e38: -1e+300 is'],
    ['float', [1e300, 0.1], [Number.NaN], 'NaN is not a finite number'],
    ['angle[4]', [7, -7, 0.1], [Number.NaN], 'NaN is not a finite number'],
    ['duration', [1e-9], [Number.NaN], 'NaN is not a finite number'],
  ] as const)('%s holds %j, not %j', (type, held, refused, last) => {
    const [input] = checkProgram(program3(`input ${type} n;`)).inputs
    if (input === undefined) throw new Error('no input')
    for (const value of held) expect(inputProblem(input, value)).toBeUndefined()
    const messages = refused.map((value) => inputProblem(input, value))
    for (const message of messages) expect(message).toStartWith('The input "n" is ')
    expect(messages.at(-1)).toContain(last)
    for (const value of refused)
      expect(faultOf(() => lower(program3(`input ${type} n;`), [value]))?.[0]).toBe('invalid_value')
  })
})
