import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { faultOf, lower, numberOf, opsOf, program2, program3, runWith } from './support.ts'

/** [declarations, expression, value]: `gphase` reveals the value of the expression. */
const values: [string, string, number][] = [
  // Precedence and association.
  ['', '1 + 2 * 3', 7],
  ['', '2 ** 3 ** 2', 512],
  ['', '-2 ** 2', -4],
  ['', '2 ** -1', 0.5],
  ['', '7 - 4 - 2', 1],
  ['', '16 / 4 / 2', 2],
  ['', '1 << 2 + 1', 8],
  ['', '6 & 3 | 8 ^ 1', 11],
  ['', '7 % 4 * 2', 6],
  // Integers: literals divide exactly or become real, variables truncate.
  ['', '7 / 2', 3.5],
  ['int a = 7; int b = 2;', 'a / b', 3],
  ['int a = -7; int b = 2;', 'a / b', -3],
  ['int a = -7; int b = 2;', 'a % b', -1],
  ['int[8] a = 127; a += 1;', 'a', -128],
  ['uint[8] a = 255; a += 1;', 'a', 0],
  ['uint[8] a = 0; a -= 1;', 'a', 255],
  ['int[8] a = 300;', 'a', 44],
  ['uint[8] a = 3; a **= 5;', 'a', 243],
  ['uint[8] a = 3; a **= 6;', 'a', 729 % 256],
  ['int[8] a = 1; a <<= 7;', 'a', -128],
  ['int[8] a = -128; a >>= 3;', 'a', -16],
  ['uint[8] a = 0xF0; a = ~a;', 'a', 15],
  ['int a = 0b1_01; int b = 0o17; int d = 0xFf;', 'a + b + d', 5 + 15 + 255],
  ['uint[64] a = 18446744073709551615; uint[64] b = a % 1000;', 'b', 615],
  // Reals and constants.
  ['', 'pi - π', 0],
  ['', 'tau / τ', 1],
  ['', 'log(euler) + log(ℇ)', 2],
  ['', 'sin(pi / 6) + cos(0)', 1.5],
  ['', 'arcsin(1) * 2 - arccos(-1)', 0],
  ['', 'sqrt(2) ** 2', 2],
  ['', 'exp(1) / euler', 1],
  ['', 'floor(-1.5) + ceiling(1.2)', 0],
  ['', 'mod(5.5, 2) + mod(7, 4)', 4.5],
  ['', 'mod(-1, 4.0)', 3],
  ['', 'pow(2, 10) + pow(2.0, 0.5) ** 2', 1026],
  ['float[32] a = 0.1;', 'a', Math.fround(0.1)],
  ['int a = 3.9;', 'a', 3],
  ['float a = 3; a /= 2;', 'a', 1.5],
  ['const float a = 1 / 3;', 'a * 3', 1],
  // Angles wrap at a full turn.
  ['angle[8] a = 3 * pi;', 'a', Math.PI],
  ['angle[8] a = -pi / 2;', 'a', 1.5 * Math.PI],
  ['angle[4] a = 7 * (pi / 8); angle[4] b = pi / 8;', 'a + b', Math.PI],
  ['angle[4] a = 7 * (pi / 8); angle[4] b = pi / 8;', 'b - a', 1.25 * Math.PI],
  ['angle[4] a = 7 * (pi / 8); uint[4] n = 2;', 'a / n', 3 * (Math.PI / 8)],
  ['angle[4] a = 5 * (pi / 4); uint[4] n = 2;', 'n * a', Math.PI / 2],
  ['angle[4] a = 5 * (pi / 4); angle[4] b = pi / 8; uint[4] n = a / b;', 'n', 10],
  ['angle[4] a = pi / 4;', '-a', 1.75 * Math.PI],
  ['angle[4] a = 9 * (pi / 8); a <<= 2;', 'a', Math.PI / 2],
  ['angle[4] a = 9 * (pi / 8); a >>= 2;', 'a', Math.PI / 4],
  ['angle[8] a = "01000000";', 'a', Math.PI / 2],
  ['angle[8] a; a[7] = 1; angle[4] b = a;', 'b', Math.PI],
  // Bits: the string has its least significant bit on the right.
  ['bit[8] a = "10001111"; a = a << 1;', 'int(a)', 0b00011110],
  ['bit[8] a = "10001111"; a = rotl(a, 2);', 'int(a)', 0b00111110],
  ['bit[8] a = "10001111"; a = rotr(a, 1);', 'int(a)', 0b11000111],
  ['bit[8] a = "10001111"; bit[8] b = "01110000";', 'int(a | b) + int(a & b)', 255],
  ['uint[6] b = 37;', 'popcount(b) * 100 + rotl(b, 3)', 344],
  ['bit[4] a = "0110";', 'int(a[1]) * 10 + int(a[0])', 10],
  ['bit[4] a = "0110"; let b = a[1:3]; b[2] = 1;', 'int(a)', 14],
  ['bit[4] a = "0110"; a[{0, 3}] = "11";', 'int(a)', 15],
  ['bit[4] a = "0011"; bit[4] b = a; a[0] = 0;', 'int(b)', 3],
  ['bit[4] a = "0011"; bit[6] b = a ++ a[0:1];', 'int(b)', 0b110011],
  ['bit a = 1; bit b = true; bit d; bit e = a ^ b;', 'int(a) + int(b) + int(d) + int(e)', 2],
  // Bits of numbers.
  ['int[32] i = 15; i[4:7] = "1010";', 'i', 0xaf],
  ['int[8] i = -1;', 'int(i[-1])', 1],
  ['uint[8] i = 0b10110100; bit[4] e = i[0:2:7];', 'int(e)', 0b0110],
  ['array[int[8], 2] a = {0, 0}; a[1][3] = 1;', 'a[1]', 8],
  // Truth and comparison.
  ['bool a = false; bool b = true;', 'int(a || b && !a)', 1],
  ['bool a = 3 > 2 && 2 >= 2 && 1 < 2 && 1 <= 1 && 1 != 2 && 1 == 1;', 'int(a)', 1],
  ['uint[8] a = 200; bool b = a > 300;', 'int(b)', 0],
  ['bit[3] c = "101"; bool b = c == 5;', 'int(b)', 1],
  ['angle[4] a = pi; bool b = a == pi;', 'int(b)', 1],
  ['bool b = 0; bool d = !b;', 'int(d)', 1],
  ['bool b = false || 1 / 1 == 1;', 'int(b)', 1],
  // Complex numbers.
  ['complex a = 10.0 + 5.0im; complex b = -2.0 - 7.0im;', 'real(a * b)', 15],
  ['complex a = 10.0 + 5.0im; complex b = -2.0 - 7.0im;', 'imag(a * b)', -80],
  ['complex a = 10.0 + 5.0im; complex b = -2.0 - 7.0im;', 'real(a / b) * 53', -55],
  ['complex a = 10.0 + 5.0im; complex b = -2.0 - 7.0im;', 'imag(a / b) * 53', 60],
  ['complex a = 10.0 + 5.0im; complex b = -2.0 - 7.0im;', 'real(a ** b)', 0.10694695640729072],
  ['complex a = sqrt(-1 + 0im);', 'imag(a)', 1],
  ['', 'real(exp(pi * 1im))', -1],
  // Durations.
  ['duration a = 500ns; duration one = 1ns;', 'a / one', 500],
  ['duration a = 1ms; duration b = 1us; a -= 2 * b;', 'a / b', 998],
  // Arrays.
  ['int[8] a = 100;', 'a * 3', 44],
  ['array[int, 5] a = {0, 1, 2, 3, 4};', 'a[0] + a[4] * 10 + a[-1] * 100', 440],
  ['array[float, 3, 2] a = {{1.1, 1.2}, {2.1, 2.2}, {3.1, 3.2}};', 'a[0, 1] + a[-1, -1] + a[1][0]', 6.5],
  ['array[int, 3, 2] a; array[int, 2] b = {7, 8}; a[1] = b;', 'a[1, 0] * 10 + a[1, 1] + a[0, 0]', 78],
  ['array[int, 4] a = {0, 1, 2, 3}; a[0:1] = a[2:3];', 'a[0] * 10 + a[1]', 23],
  ['array[int, 4] a = {0, 1, 2, 3}; a[1:3] = a[0:2];', 'a[1] * 100 + a[2] * 10 + a[3]', 12],
  ['array[int, 2] a = {1, 2}; array[int, 4] b = a ++ a;', 'b[3] * 10 + b[0]', 21],
  ['array[int, 2, 3] a;', 'sizeof(a) * 10 + sizeof(a, 1)', 23],
  ['array[int, 6] a = {0, 1, 2, 3, 4, 5}; array[int, 3] b = a[0:2:5];', 'b[2]', 4],
  ['array[int, 2] a = {1, 2}; array[int, 2] b = a; b[0] = 9;', 'a[0]', 1],
  [
    'array[bit[2], 1] a = {"00"}; array[bit[2], 2] b = a ++ a; b[0][1] = 1;',
    'int(a[0]) * 100 + int(b[0]) * 10 + int(b[1])',
    20,
  ],
  // Flow.
  ['int n; for int i in {1, 5, 10} n += i;', 'n', 16],
  ['int n; for int i in [0:2:20] n += i;', 'n', 110],
  ['int n; for int i in [5:-2:0] n = n * 10 + i;', 'n', 531],
  ['int n; for int i in [3:1] n += 1;', 'n', 0],
  ['float f; array[float, 3] a = {1.5, 2.5, 3}; for float v in a f += v;', 'f', 7],
  ['int n; bit[4] c = "1011"; for bit b in c n = n * 2 + int(b);', 'n', 0b1101],
  ['int n; for int i in [0:9] { if (i == 2) continue; if (i == 5) break; n += i; }', 'n', 8],
  ['int n; for int i in [0:2] { i = 7; n += 1; }', 'n', 3],
  ['int n = 1; while (n < 100) { n *= 2; }', 'n', 128],
  ['int n; while (true) { n += 1; if (n == 7) break; }', 'n', 7],
  ['int n; int i = 3; switch (i) { case 1, 3 { n = 10; } default { n = 20; } }', 'n', 10],
  ['int n; int i = 4; switch (i) { case 1, 3 { n = 10; } default { n = 20; } }', 'n', 20],
  ['int n = 5; { int n = 6; n = 7; } { n += 1; }', 'n', 6],
  ['int n; if (n == 0) { n = 1; } else if (n == 1) { n = 2; } else n = 3;', 'n', 1],
  // Subroutines.
  ['def f(int i) -> int { return i * 2; }', 'f(f(3))', 12],
  ['def f(int n) -> int { if (n <= 1) return 1; return n * f(n - 1); }', 'f(10)', 3628800],
  ['int n = 100; def f() -> int { return n * 2; } n = 200;', 'f()', 400],
  ['def f(mutable array[int, #dim = 1] a) { a[0] = 9; } array[int, 3] u; f(u[1:2]);', 'u[1]', 9],
  ['def f(int i) -> int { for int k in [0:9] { while (true) { return k + i; } } return 0; }', 'f(4)', 4],
  ['def f(bit[2] b) -> int { b[0] = 1; return int(b); } bit[2] c; int n = f(c);', 'n * 10 + int(c)', 10],
]

describe('classical values', () => {
  for (const [before, expression, value] of values) {
    test(`${before} ${expression} is ${value}`, () => {
      expect(numberOf(expression, before)).toBeCloseTo(value, 10)
    })
  }

  test('integer arithmetic is that of machine words', () => {
    const word = fc.bigInt({ min: -(2n ** 31n), max: 2n ** 31n - 1n })
    fc.assert(
      fc.property(word, word, fc.constantFrom('+', '-', '*'), (a, b, operator) => {
        const exact = operator === '+' ? a + b : operator === '-' ? a - b : a * b
        const before = `int[32] a = ${a}; int[32] b = ${b}; int[32] d = a ${operator} b;`
        expect(numberOf('d', before)).toBe(Number(BigInt.asIntN(32, exact)))
      }),
      { numRuns: 50 },
    )
  })

  test('angles agree with floats modulo a full turn', () => {
    fc.assert(
      fc.property(fc.double({ min: -50, max: 50, noNaN: true }), (angle) => {
        const wrapped = numberOf('a', `angle[40] a = ${angle};`)
        expect(Math.cos(wrapped)).toBeCloseTo(Math.cos(angle), 9)
        expect(Math.sin(wrapped)).toBeCloseTo(Math.sin(angle), 9)
      }),
      { numRuns: 50 },
    )
  })

  test('a chain of ten thousand terms needs no deep recursion', () => {
    expect(numberOf(Array(10_000).fill('a').join(' + '), 'float a = 1;')).toBe(10_000)
  })

  test('integer division by zero is an error with a position', () => {
    expect(faultOf(() => numberOf('a / b', 'int a = 1; int b;'))).toEqual(['invalid_value', 4, 8])
  })

  test('a gate cannot rotate by infinity', () => {
    expect(faultOf(() => numberOf('1.0 / a', 'float a = 0;'))?.[0]).toBe('invalid_value')
  })
})

describe('OpenQASM 2 parameters', () => {
  test.each([
    ['2^3', 8],
    ['-2^2', -4],
    ['2^3^2', 512],
    ['7/2', 3.5],
    ['1/2*pi', Math.PI / 2],
    ['ln(exp(2))', 2],
    ['sin(pi/2)+cos(0)+tan(0)+sqrt(4)', 4],
    ['+1 - -1', 2],
    ['3.5e-1', 0.35],
    ['(1+2)*3', 9],
  ])('%s is %d', (expression, value) => {
    const [op] = opsOf(program2(`qreg q[1]; u1(${expression}) q[0];`))
    if (op?.kind !== 'unitary') throw new Error('no gate')
    expect(op.matrix[6]).toBeCloseTo(Math.cos(value), 12)
    expect(op.matrix[7]).toBeCloseTo(Math.sin(value), 12)
  })
})

describe('inputs', () => {
  test('are bound in declaration order and converted to their types', () => {
    const text = program3(
      'input float a; input int[8] b; input angle[8] c; input bool d; input bit[3] e; gphase(a + b * 10 + int(d) * 1000 + int(e) * 10000); gphase(c);',
    )
    const angles = runWith(text, [0.5, 7, Math.PI, 1, 5], 0).ops.map((op) =>
      op.kind === 'phase' ? op.angle : Number.NaN,
    )
    expect(angles[0]).toBeCloseTo(51070.5, 9)
    expect(angles[1]).toBeCloseTo(Math.PI, 9)
  })

  test('one program can be bound repeatedly', () => {
    const text = program3('input float a; qubit q; rx(a) q;')
    for (const value of [0, 1, 2]) expect(opsOf(text, [value])).toMatchObject([{ name: 'rx' }])
  })

  test('too few or too many values are an error', () => {
    const text = program3('input float a;\ninput float b;')
    expect(faultOf(() => lower(text, [1]))).toEqual(['parameter_count', 3, 1])
    expect(faultOf(() => lower(text, [1, 2, 3]))?.[0]).toBe('parameter_count')
  })

  test('a value that does not fit its type is an error', () => {
    expect(faultOf(() => lower(program3('input int n;'), [1.5]))?.[0]).toBe('invalid_value')
    expect(faultOf(() => lower(program3('input float f;'), [Number.NaN]))?.[0]).toBe('invalid_value')
    expect(faultOf(() => lower(program3('input bit[2] c;'), [4]))?.[0]).toBe('invalid_value')
  })
})
