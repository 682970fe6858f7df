import { describe, expect, test } from 'bun:test'
import { checkProgram, parseProgram, type QasmCode } from '../../src/qasm/index.ts'
import { faultOf, program3 } from './support.ts'

/** The statements that the official grammar of OpenQASM 3 lists as invalid, by file of its tests. */
const invalid: Record<string, readonly string[]> = {
  branch: [
    'if true x $0;',
    'if false { x $0; }',
    'if (myvar += 1) { x $0; }',
    'if (int[8] myvar = 1) { x $0; }',
    'if (true);',
    'if (true) else x $0;',
    'if (true) else (false) x $0;',
    'if (reset $0) { x $1; }',
  ],
  calibration: [
    'defcalgrammar "openpulse" defcalgrammar "openpulse";',
    'defcalgrammar 3;',
    'defcal x $0 -> int[8] -> int[8] {}',
  ],
  const: [
    'const myvar;',
    'const myvar = ;',
    'const myvar = 8.0;',
    'input const myvar = 8;',
    'output const myvar = 8;',
    'const input myvar = 8;',
    'const output myvar = 8;',
  ],
  declarations: [
    'float;',
    'uint[8];',
    'qreg[4];',
    'creg[4];',
    'complex[float[32]];',
    'int[8, 8] myvar;',
    'uint[8, 8] myvar;',
    'float[8, 8] myvar;',
    'angle[8, 8] myvar;',
    'bool[4] myvar;',
    'bool[4, 4] myvar;',
    'bit[4, 4] myvar;',
    'creg[2] myvar;',
    'creg[2, 2] myvar;',
    'qreg[2] myvar;',
    'qreg[2, 2] myvar;',
    'complex[32] myvar;',
    'complex[mytype] myvar;',
    'complex[float[32], float[32]] myvar;',
    'complex[qreg] myvar;',
    'complex[creg] myvar;',
    'complex[qreg[8]] myvar;',
    'complex[creg[8]] myvar;',
    'array myvar;',
    'array[8] myvar;',
    'array[not_a_type, 4] myvar;',
    'array[int[8], int[8], 2] myvar;',
    'int[8] int;',
    'int[8] def;',
    'int[8] 0;',
    'int[8] input;',
    'int[8] myvar = end;',
    'int[8] myvar =;',
    'float[32] myvar_f = int[32] myvar_i = 2;',
    'array[uint[8], 4] myvar = [4, 5, 6, 7];',
    'array[uint[8], 4] myvar = 2 * {1, 2, 3, 4};',
    'array[uint[8], #dim=2] myvar;',
    'array[int[8], int[8]] myvar;',
    'myvar: int[8];',
    'myvar int[8];',
    'int myvar[8];',
    'uint myvar[8];',
    'float myvar[32];',
    'int[8] myvar1, myvar2;',
    'int[8] myvari, float[32] myvarf;',
    'int[8] myvari float[32] myvarf;',
  ],
  gate_applications: [
    'U (1)(2) $0;',
    'notmodifier @ x $0;',
    'pow @ x $0;',
    'pow(2, 3) @ x $0;',
    'ctrl(2, 3) @ x $0, $1;',
    'negctrl(2, 3) @ x $0, $1;',
    'inv(1) @ ctrl @ x $0, $1;',
    'gphase(pi) @ ctrl @ x $0, $1;',
  ],
  headers: [
    'OPENQASM int;',
    "OPENQASM 'hello, world';",
    'OPENQASM 3 3;',
    'OPENQASM 3.x;',
    'include 3;',
    'include include;',
    'include def;',
    'include "hello;',
  ],
  io: [
    'input int[8];',
    'output int[8];',
    'input qreg myvar[4];',
    'output qreg myvar[4];',
    'input int[8] myvar = 32;',
    'output int[8] myvar = 32;',
    'input myvar;',
    'output myvar;',
  ],
  loop: [
    'for myvar in { 1, 2, 3 };',
    'for myvar1, myvar2 in { 1, 2, 3 } { x $0; }',
    'for myvar in { x $0; } { x $0; }',
    'for myvar in for { x $0; }',
    'for myvar { x $0; }',
    'for (true) { x $0; }',
    'for { x $0; }',
    'for for in { 1, 2, 3 } { x $0; }',
    'for in { 1, 2, 3 } { x $0; }',
    'while true { x $0; }',
    'while (true) (true) { x $0; }',
    'while x in { 1, 2, 3 } { x $0; }',
    'while (true);',
  ],
  measure: [
    'measure $0, $1;',
    'a[0:1] = measure $0, $1;',
    'a = measure $0 -> b;',
    'creg a[1] = measure $0;',
    'measure $0 -> creg a[1];',
    'measure $0 -> bit[1] a;',
    'a = 2 * measure $0;',
    'a = (measure $0) + (measure $1);',
  ],
  switch: [
    'switch () {}',
    'switch (i) { x $0 }',
    'switch (i) { case {} }',
    'switch (i) { case 1,, {} }',
    'switch (i) { default 0 {} }',
    'switch (i) { default, default {} }',
  ],
  tokens: [
    '#;',
    '3x;',
    'x@x;',
    '3.4.3;',
    '3.4e3e3;',
    '3__4;',
    '3_4_;',
    '0b123;',
    '0B123;',
    '0o789;',
    '0O789;',
    '0x12g;',
    '0X12g;',
    '12af;',
  ],
}

/**
 * What each reference program of the official grammar is about, in words of our own, by file of its tests.
 */
const reference: Record<string, string> = {
  'assignment/alias':
    'bit[2] a; creg b[2]; qubit[5] q; qreg r[7]; let s = q ++ r; let c = a[{0,1}] ++ b[1:2]; let t = s[{1,3,4}] ++ r[1:2:6]; let d = c; let e = d[1];',
  'assignment/assignment':
    'bit[2] a; creg b[2]; qubit[3] q; int[10] k = 12; a[0] = b[1]; k += int[10](a[1]); measure q[1] -> a[0]; a = measure q[1:2]; measure q[0]; b = a == 0;',
  'assignment/slices':
    'a = b[0:1][0:1]; a[0:1] = b[0:1][0:1]; a[0][0:1] = b[1][1:2:3]; a[0:1][0] = b[0:1][0];',
  'comments/comments': '// line\nqubit[2] q; /* block */ h q[0]; // end\n/* two\nlines */ cx q[0], q[1];',
  'control_flow/branch_binop': 'if(bits[i] == 0 && bits[n+i] == 1) {\n  x q[i];\n}',
  'control_flow/branching': 'if (k == a) { for uint i in [0:2:4] k[i] += 1; } else CX k[0], k[1];',
  'control_flow/loop':
    'while (i < 10) { for uint j in {1, 4, 6} reset q[j]; if (i == 8) break; else continue; } end;',
  'declaration/array':
    'array[uint[16], 1] a; array[bit[16], 2, 2] b; array[complex[float[32]], 4] c; array[int[8], 2] d = {n, n+n}; array[uint[32], 2, 2] e = {2*d, {2-3, 5*n}}; array[int[8], 4] f = d;',
  'declaration/array_concatenation':
    'array[int[8], 2] a = {0, 1}; array[int[8], 3] b = {2, 3, 4}; array[int[8], 5] c = a ++ b;',
  'declaration/complex':
    'complex[float] a = 4 - 5.5im; complex[float[64]] b = a + 3 im; complex c = a ** b; complex[float] d = 1\tim;',
  'declaration/declaration':
    'uint[32] a = 0XFa_1F; uint[16] b = 0o12_34; uint[16] c = 0B1001_1001; bit[8] d="1001_0100"; bit e = "1"; bool f=bool(e); const float[64] g = 5.5e3; float[32] i = .1e+3; duration j = 8\tus; duration k = 10 ms; stretch l;',
  'directives/annotations':
    '@bind [2:3]\ninput uint[16] a;\n@outer\ndef f() {\n  @inner word\n  uint[16] b;\n}\n@first\n@second @no_third\nuint[16] c;\n@here only\nc = 1; c = 2;',
  'directives/defcalgrammar':
    'defcalgrammar \'openpulse\';\ndefcalgrammar "openpulse";\ndefcalgrammar "001";',
  'directives/pragma': 'pragma BIND[2:3]\n#pragma  __info__ 0\n',
  'expression/binary_expr': '2+2; 2**2; a << b;',
  'expression/built_in_call':
    'int[32](10); sin(π); arcsin(π); cos(π); arccos(π); tan(π); arctan(π); exp(π); ln(π); sqrt(π); rotl(π); rotr(π); popcount(π); sizeof(a); sizeof(a, 1);',
  'expression/order_of_ops': 'a[1]+2|c*(sin(b)^!3.5*d[3]); b = bit[8](a)[2:4];',
  'expression/sub_and_extern_call': 'bit a = f(10, "01", q[0], r); int[2] b = g(0.5, 10dt); k(pi);',
  'expression/unary_expr': '!flag;',
  'gate/gate_modifiers': 'ctrl(2) @ g q; negctrl(3) @ g q; pow(-1./2.) @ g q; inv @ g q;',
  'gate/quantum_gate': 'gate g(angle1) a, b { reset a; barrier b; gphase(-angle1/2); CX a, b; barrier; }',
  'pragma/pragma': '#pragma { __info__ = 0; }\n',
  'pulse/cal': 'cal {}\ncal {One long, otherwise invalid token.}\ncal {Outer {nested} outer}',
  'pulse/defcal':
    'defcal x $0 {}\ndefcal measure $0 -> bit {Outer {nested}}\ndefcal rz(angle[20] a) q {£$&£*(")}\ndefcal rz(pi / 2) q {Words.}',
  'scope/anonymous_block': '{ int a = 32; }',
  'scope/nop': 'nop; nop $0; nop $1, $2; nop q, q[0],; box { nop $0; } gate g q { nop q; }',
  'subroutine/array':
    'def f(mutable array[uint[16], 4, 2] a) {} def g(readonly array[uint[16], #dim=2*n] a) {} def k(readonly array[int[8], #dim=1] a, mutable array[complex[float[64]], #dim=3] b) -> int[8] {}',
  'subroutine/extern': 'extern f(bit[5], uint[10], float[16], complex[float[64]]) -> float[6];',
  'subroutine/subroutine':
    'def f(int[5] i, qubit[2] q, qreg r[5]) -> int[10] { if (i == 2) return 1 + i; return i; } def g(bit[2] b, creg c[3]) { for int[5] j in {2, 3}\n i += j; return i+1; } def k(qubit q) { return measure q; }',
  'trailing_commas/array': 'array[int[8], 4, 3,] a;',
  'trailing_commas/extern': 'extern f(int, int,) -> int;',
  'trailing_commas/gate': 'gate g a, b,\n{\n  CX a, b;\n}',
  'trailing_commas/index': 'let a = q[{0, 3, 5, }];',
  'trailing_commas/nop': 'nop q, r,;',
}

/**
 * The reference programs that are refused: their grammar is right, but the rest of the specification forbids
 * them.
 */
const refused: Record<string, readonly [code: QasmCode, text: string]> = {
  'control_flow/switch': ['syntax_error', 'switch (i + j) { default { x $0; } }'],
  'directives/include': ['include_not_allowed', 'include \'foo2\';\ninclude "001";'],
  header: ['include_not_allowed', 'include "std_gates.inc"; input angle[32] a; output bit b;'],
}

for (const [file, statements] of Object.entries(invalid)) {
  describe(`invalid/statements/${file}`, () => {
    for (const text of statements) {
      test(`refuses ${JSON.stringify(text)}`, () => {
        expect(faultOf(() => parseProgram(text))?.[0]).toBe('syntax_error')
        expect(checkProgram(text).problems).not.toEqual([])
      })
    }
  })
}

describe('reference programs', () => {
  for (const [file, text] of Object.entries(reference)) {
    // They use undeclared names: that is reported only once the syntax is valid.
    test(`${file} parses`, () => {
      const codes = checkProgram(program3(text)).problems.map(({ code }) => code)
      expect(codes).not.toContain('syntax_error')
      expect(codes).not.toContain('include_not_allowed')
    })
  }
  for (const [file, [code, text]] of Object.entries(refused)) {
    test(`${file} is refused: ${code}`, () => {
      expect(checkProgram(program3(text)).problems.map((problem) => problem.code)).toEqual([code])
    })
  }

  test('the names of the standard library may be in either kind of quotes', () => {
    expect(checkProgram("OPENQASM 3;\ninclude 'stdgates.inc'; h $0;").problems).toEqual([])
  })
})
