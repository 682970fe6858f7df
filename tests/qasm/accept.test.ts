import { describe, expect, test } from 'bun:test'
import { checkProgram } from '../../src/qasm/index.ts'
import { lower, program2, program3 } from './support.ts'

/** Programs of version 3 that follow the language definition; each is checked and then executed. */
const accepted3: string[] = [
  // Headers, comments, directives.
  '',
  '// only a comment',
  '/* a\n comment */ qubit q; // and another',
  'pragma vendor anything at all { ( ;\nqubit q;',
  '#pragma vendor anything\nqubit q;',
  '@bind(1) rest of the line ;;\n@a.b.c\nqubit q;',
  'defcalgrammar "openpulse";',
  'cal { play(drive($0), gaussian(100, 30, 5)); if (x) { nested } }',
  'cal {}',
  'defcal x $0 { play drive($0); }',
  'defcal rz(angle[20] theta) q { shift_phase drive(q), -theta; }',
  'defcal measure $0 -> bit { }',
  'defcal reset $0 { }',
  'defcal rz(pi / 2) $1 {}',
  'defcal y(int[8] a, float b) $0, $1 -> int[8] {}',
  // Declarations.
  'bit a; bit[4] b; int i; int[8] j; uint k; uint[16] l; float m; float[32] n; angle o; angle[20] r; bool v;',
  'complex d; complex[float] e; complex[float[32]] f; duration g; stretch k;',
  'bit[8] a = "00001111"; bit[8] b = "0000_1111"; bit c = 1; bit d = false;',
  'const int[32] n = 2 ** 3; qubit[n] q; bit[n + 1] c; const float f = n / 3.0;',
  'qreg q[2]; creg c[2]; qreg r; creg d; h q; h r; c = measure q; d = measure r;',
  'int[8] i = 0b1010; int[8] j = 0B11; int[8] k = 0o17; int[8] l = 0xfF; int[8] m = 0X1_0; uint[16] n = 1_000;',
  'float a = 1.; float b = .5; float c = 1e3; float d = 1.5E-3; float e = 1_0.2_5e+1_0;',
  'duration a = 1ns; duration b = 1.5us; duration c = 2 µs; duration d = 3 ms; duration e = 1s; duration f = 100dt;',
  'complex a = 1 + 2im; complex b = 2.5im; complex c = 1.0 - 3 im;',
  'float π2 = π / 2; float τ4 = τ; float e = euler + ℇ; float α_1 = 0.5;',
  'array[uint[16], 1] a; array[angle[32], 4, 3, 2] b; array[bit[8], 2] c; array[complex[float[32]], 4] d; array[bool, 3] e;',
  'array[int[8], 4] a = {1, 2, 3, 4}; array[uint[32], 2, 2] b = {{3, 4}, {2 - 3, 5 * 2}};',
  'array[int[8], 4] a = {1, 2, 3, 4,}; array[int[8], 2] b = a[0:1]; array[int[8], 2, 2] d = {b, {1, 2}};',
  'input float[64] theta; input int[8] n; input bool flag; output bit[2] c;',
  'extern f(int[8], float) -> bit; extern g(); extern m(readonly array[int[8], 4], mutable array[int[8], #dim = 2], creg[3]) -> int;',
  // Aliases, slices, concatenation.
  'qubit[8] q; let a = q[1:3]; let b = q[{0, 5, 7}]; let d = a ++ b; let e = q[-4:-1]; let f = q[::2]; h d; x e[0];',
  'bit[8] a; let b = a[0:3]; let d = a[4:7] ++ b; d[0] = 1;',
  'array[int[8], 3] a = {1, 2, 3}; array[int[8], 6] b = a ++ a; b[0:2] = a; a[1:2] = b[0:1];',
  'array[uint[16], 2, 2] a; array[uint[16], 2, 4] b; a = b[0:1, 0:1]; a[0] = b[0, 0:1]; a[0][0] = b[0][0]; a[0:1, 0] = b[0:1, 0];',
  'int[32] i = 15; bit[16] e = i[0:2:31]; i[4:7] = "1010"; bit b = i[-1]; angle[8] g; g[0] = 1;',
  // Gates.
  'gate g a { } qubit q; g q;',
  'gate g() a { } qubit q; g() q;',
  'gate g(a, b,) c, d, { rz(a + b) c; cx c, d; } qubit[2] q; g(1, 2) q[0], q[1];',
  'gate g(n) a, b { for int i in [0:2] { rx(n * i) a; } barrier a, b; U(0, 0, n) b; gphase(n); } qubit[2] q; g(0.5) q[0], q[1];',
  'qubit[2] q; qubit[2] r; qubit v; cx q, r; cx q[0], r; cx q, v; U(pi, 0, pi) q; gphase(pi / 2);',
  'qubit[4] q; ctrl @ x q[0], q[1]; negctrl @ x q[0], q[1]; ctrl(2) @ x q[0], q[1], q[2]; inv @ s q; pow(1/2) @ x q[0];',
  'qubit[4] q; inv @ ctrl @ pow(2) @ rx(0.3) q[0], q[1]; ctrl @ gphase(0.2) q[0]; negctrl(3) @ gphase(0.2) q[0], q[1], q[2];',
  'qubit[5] a; negctrl(2) @ ctrl @ x a[1], a[0], a[2], a[3]; ctrl @ cx a[0], a[1], a[2]; ctrl @ cx a, $0, $1;',
  'cx $0, $1; x $12; U(1, 2, 3) $0;',
  'qubit[2] q; x[100ns] q[0]; rx(0.5)[20dt] q[1];',
  // Quantum directives.
  'qubit[2] q; bit[2] c; bit b; c = measure q; measure q -> c; measure q[0]; b = measure q[1]; measure q[0] -> c[1];',
  'qubit[2] q; bit[2] c = measure q; reset q; reset q[0]; barrier q; barrier; barrier q[0], $3; nop q; nop;',
  'qubit[2] q; delay[100ns] q; delay[2 * 10us] q[0], q[1]; delay[1ms]; box { x q; } box[1us] { h q[0]; delay[10ns] q; }',
  'qubit q; stretch v; delay[v] q; delay[durationof({x q;})] q; duration d = 3 * 5ns - 1ns / 2;',
  // Classical flow.
  'int i; if (true) i = 1; else i = 2; if (i == 1) { i += 1; } else if (i > 2) { i -= 1; } else { i *= 2; }',
  'int n; for int i in {1, 5, 10} n += i; for uint[8] i in [0:2:20] { n -= 1; } for int i in [5:-1:0] { }',
  'array[float[64], 2] f = {1.2, -3.4}; for float[64] x in f { } bit[5] r; for bit b in r { } let al = r[1:3]; for bit b in al {}',
  'int i; while (i < 10) { i += 1; if (i == 2) continue; if (i == 4) break; }',
  'int i = 15; switch (i) { case 1, 3, 5 { i = 0; } case -1 { } default { i = 1; } }',
  'const int A = 0; int i; switch (i) { case A {} case A + 1 {} } bit[2] b; switch (int(b)) { case 0b00 { } case 0b01 { } }',
  'qubit q; x q; end; x q;',
  '{ int i = 1; { i = 2; } }',
  'int i = 100; { i *= 2; int i = 1; i *= 2; } i *= 2;',
  // Subroutines.
  'def f(int[5] i, qubit[2] q1, qreg q2[5]) -> int[10] { int[10] r; if (r == 2) return 1 + r; return r; } qubit[2] a; qubit[5] b; int v = f(1, a, b);',
  'def f(int[5] i, bit[2] b, creg c[3]) -> int[5] { for int j in {2, 3} i += j; return i + 1; } bit[2] b; bit[3] c; f(1, b, c);',
  'def f(qubit q) -> bit { h q; return measure q; } qubit q; bit b = f(q); bit[2] c; c[1] = f(q);',
  'def f(readonly array[uint[8], 3] a, mutable array[uint[8], 3] b) { b[0] = a[1]; } array[uint[8], 3] u; array[uint[8], 3] v; f(u, v);',
  'def f(readonly array[int[32], #dim = 3] a) -> uint { return sizeof(a, 0) + sizeof(a, 2); } array[int[32], 4, 3, 2] u; uint n = f(u);',
  'def f() { return; } f(); def g() -> int { return 1; } int i = g() + g();',
  'int i = 100; def f() -> int { return i * 2; } i = 200; int j = f();',
  'def f(qubit q, angle[8] a) { rx(a) q; } qubit q; f(q, pi / 2); f($0, 0.1);',
  // Expressions.
  'int i = 3; int[8](i); float(i) + 1; i; i + 1; sin(i);',
  'int a = 1 + 2 * 3 ** 2 % 4 - -1; bool b = !(a == 3) && a >= 2 || a != 7 && true; int d = ~a & 3 | 1 ^ 2 << 1 >> 1;',
  'float f = sin(pi) + cos(pi / 2) * tan(0.1) + arcsin(0.5) + arccos(0.5) + arctan(1) + exp(1) + log(2) + sqrt(2);',
  'float f = ceiling(1.2) + floor(1.8) + mod(5.5, 2) + pow(2.0, 3.0) + real(1 + 2im) + imag(1 + 2im); int i = mod(7, 3) + pow(2, 3);',
  'bit[8] a = "10001111"; uint n = popcount(a); a = rotl(a, 2); a = rotr(a, 1) ^ a; a <<= 1; a |= "00000001"; a = ~a;',
  'int[8] a = int[8](3.7); float b = float(a); bool d = bool(a); bit[8] e = bit[8](a); angle[8] f = angle[8](pi); uint[4] g = uint[4](e);',
  'angle[4] a = 7 * (pi / 8); angle[4] b = pi / 8; uint[4] two = 2; a = a + b; a = a / two; a = two * a; uint[4] n = a / b; a = -a; a <<= 1;',
  'complex a = 10.0 + 5.0im; complex b = -2.0 - 7.0im; complex d = a + b; d = a - b; d = a * b; d = a / b; d = a ** b; bool e = a == b;',
  'duration a = 500ns; duration one = 1ns; float n = a / one; bool b = a > one; a += one; a *= 2;',
  'const uint[8] n = sizeof("0101"); qubit[n] q; const uint[8] m = sizeof(q); qubit[m] p2;',
  'qubit q; bit c; c = measure q; int i = 2; i += int(c); bool b = c == 1 && i > 1; c ^= measure q;',
]

const accepted2: string[] = [
  'qreg q[2]; creg c[2]; h q; cx q[0],q[1]; measure q -> c;',
  'qreg input[2]; creg output[2]; x input[0]; measure input -> output;',
  'qreg box[1]; qreg end[1]; qreg int[1]; h box[0]; h end; cx int[0],box[0];',
  'qreg q[1]; u1(2^3/sin(pi/4)) q[0]; u3(-(1+2)*3,ln(exp(1)),sqrt(.5)+1.e-3) q[0]; rz(-2^2) q[0];',
  'gate g(a,b) x,y { u3(a,b,a+b) x; barrier x,y; cx x,y; } qreg q[3]; qreg r[3]; g(0.1,pi) q[0],q[1]; g(1,2) q,r[2];',
  'gate g a {} qreg q[2]; g q;',
  'gate g() a {} qreg q[2]; g() q;',
  'opaque magic(a) q,r; qreg q[2]; h q[0];',
  'qreg q[2]; creg c[2]; if(c==1) x q[0]; if(c==3) measure q[0] -> c[0]; if (c == 0) reset q;',
  'qreg q[2]; barrier q; barrier q[0],q[1]; reset q[0]; U(0,0,pi) q; CX q[0],q[1];',
  'gate rzz(theta) a,b { cx a,b; rz(theta) b; cx a,b; } qreg q[2]; rzz(0.3) q[0],q[1];',
  '/* block */ qreg q[1]; // line',
]

const withoutRuntime = ['extern f']

describe('OpenQASM 3', () => {
  for (const body of accepted3) {
    test(`accepts ${JSON.stringify(body.slice(0, 90))}`, () => {
      const text = program3(`${body}\n`)
      expect(checkProgram(text).problems).toEqual([])
      const inputs = checkProgram(text).inputs.map(() => 1)
      if (!withoutRuntime.some((start) => body.startsWith(start))) expect(lower(text, inputs)).toBeDefined()
    })
  }
})

describe('OpenQASM 2', () => {
  for (const body of accepted2) {
    test(`accepts ${JSON.stringify(body.slice(0, 90))}`, () => {
      const text = program2(body)
      expect(checkProgram(text).problems).toEqual([])
      expect(lower(text)).toBeDefined()
    })
  }
})

describe('the version', () => {
  test.each([
    ['OPENQASM 3;', 3],
    ['OPENQASM 3.0;', 3],
    ['OPENQASM 3.1;', 3],
    ['// first\nOPENQASM 2.0;', 2],
    ['OPENQASM 2;', 2],
  ])('%s is version %i', (header, version) => {
    const text = `${header}\n${version === 2 ? 'qreg q[1];' : 'qubit q; int[8] i = 3;'}`
    expect(checkProgram(text).problems).toEqual([])
  })

  test('a program without one is version 3', () => {
    expect(checkProgram('include "stdgates.inc"; qubit q; h q;').problems).toEqual([])
  })

  test('a program without one that includes qelib1.inc is version 2', () => {
    expect(checkProgram('include "qelib1.inc"; qreg box[2]; u3(1,2,3) box;').problems).toEqual([])
  })

  test('a version 3 program may include qelib1.inc', () => {
    expect(
      checkProgram('OPENQASM 3; include "qelib1.inc"; qubit[2] q; cu1(0.1) q[0], q[1];').problems,
    ).toEqual([])
  })
})
