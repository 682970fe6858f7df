import { describe, expect, test } from 'bun:test'
import { checkProgram, parseProgram, type QasmCode } from '../../src/qasm/index.ts'
import { faultOf, program2, program3 } from './support.ts'

/**
 * Single statements that the grammar of version 3 does not allow, in addition to those of
 * `conformance.test.ts`.
 */
const syntax3: string[] = [
  // Headers and directives.
  'OPENQASM 3.0',
  'OPENQASM 3; OPENQASM 3;',
  'defcal x $0 {',
  'cal x {}',
  '@ x\nqubit q;',
  '@note',
  '/* open',
  // Constants, inputs.
  'const int[8] myvar;',
  // Declarations.
  'fixed myvar2 = ;',
  'array[int[8]] myvar;',
  'array[int[8], ] myvar;',
  'array[mytype, 4] myvar;',
  'array[qubit, 4] myvar;',
  'array[int[8], #dim = 2] myvar;',
  'qubit[2] q = 1;',
  'qubit q, r;',
  // Gates.
  'ctrl x $0, $1;',
  'gate g { }',
  'gate g(1) a { }',
  'gate g a, { };',
  'gate g(a) b;',
  // Loops and switches.
  'for int myvar in for { x $0; }',
  'for int myvar { x $0; }',
  'for int i in [0] { }',
  'for int i in [0:1;',
  'switch (i) { }',
  'switch (i) { default {} case 1 {} }',
  'switch (i) { case 1 {} default {} default {} }',
  // Measurements.
  'measure -> c;',
  'reset;',
  'delay q;',
  'box[1ns] x $0;',
  // Tokens.
  '_3 = 3_;',
  '0x;',
  'x $;',
  'bit[2] b = "01_";',
  'bit[2] b = "0a";',
  "bit[2] b = '01';",
  'float f = 1 2;',
  'int i = 1 +;',
  'int i = (1;',
  'int i = 1);',
  'int i = *2;',
  '1 = 2;',
  'f() = 2;',
  'int i = 3 **;',
  '};',
  '{',
  '\u0000',
  'int é\u00a0x;',
  'def f(int) { }',
  'def f { }',
  'def f() -> { }',
  'extern f(int[8] a);',
  'let a;',
  'return measure;',
]

const syntax2: string[] = [
  'qubit q;',
  'qubit[2] q;',
  'qreg q;',
  'creg c[2',
  'int[8] i = 3;',
  'if (true) x q[0];',
  'if (c == 1) { x q[0]; }',
  'if (c + 1) x q[0];',
  'if (c == 1) if (c == 1) x q[0];',
  'c = measure q;',
  'measure q;',
  'x $0;',
  'ctrl @ x q[0], q[1];',
  'gate g a { measure a -> c; }',
  'gate g a { if (c == 1) x a; }',
  'gate g(a,) b { }',
  'opaque g a { }',
  'rx(0x10) q[0];',
  'rx(1 % 2) q[0];',
  'rx(3**2) q[0];',
  'barrier;',
  'cx q[0],q[1],;',
]

/** Meaning: [code, program]. */
const meaning3: [QasmCode, string][] = [
  ['include_not_allowed', 'include "other.inc";'],
  ['include_not_allowed', 'include "../../etc/passwd";'],
  ['unknown_name', 'x = 1;'.replace('x', 'nothing')],
  ['unknown_name', 'qubit q; nogate q;'],
  ['unknown_name', 'int i = nofunction(1);'],
  ['unknown_name', 'measure q -> c;'],
  ['duplicate_name', 'int a; float a;'],
  ['duplicate_name', 'qubit h;'],
  ['duplicate_name', 'float pi = 3;'],
  ['duplicate_name', 'gate x a { }'],
  ['duplicate_name', 'gate g(a, a) b { }'],
  ['duplicate_name', 'gate g a, a { }'],
  ['duplicate_name', 'def f(int a, int a) { }'],
  ['duplicate_name', 'int i; switch (i) { case 1 {} case 2, 1 {} }'],
  ['recursion', 'gate g a { g a; }'],
  ['type_mismatch', 'qubit q; int i = q;'],
  ['type_mismatch', 'qubit q; q = 1;'],
  ['type_mismatch', 'qubit[2] q; bit[3] c; c = measure q;'],
  ['type_mismatch', 'bit[4] a; bit[5] b = a;'],
  ['type_mismatch', 'duration d = 3;'],
  ['type_mismatch', 'float f = 3ns;'],
  ['type_mismatch', 'int i = 1im;'],
  ['type_mismatch', 'float f = sin(1im);'],
  ['type_mismatch', 'qubit q; rx(1im) q;'],
  ['type_mismatch', 'bit b; x b;'],
  ['type_mismatch', 'qubit[2] a; qubit[3] b; cx a, b;'],
  ['type_mismatch', 'array[int[8], 2] a = {1, 2, 3};'],
  ['type_mismatch', 'array[int[8], 2, 3] a; array[int[8], 3] b; a = b;'],
  ['type_mismatch', 'int i = {1, 2};'],
  ['type_mismatch', 'int i; i[0][0] = 1;'],
  ['type_mismatch', 'bit b; b[0] = 1;'],
  ['type_mismatch', 'qubit[2] q; bit[2] c; let a = q ++ c;'],
  ['type_mismatch', 'delay[3] $0;'],
  ['type_mismatch', 'let a = "0101";'],
  ['type_mismatch', 'let a = 3;'],
  ['type_mismatch', 'float f; switch (f) { case 1 {} }'],
  ['type_mismatch', 'for int i in 3 { }'],
  ['type_mismatch', 'def f() { return 1; }'],
  ['type_mismatch', 'def f() -> int { return; }'],
  ['type_mismatch', 'def f(qubit[2] q) { } qubit[3] q; f(q);'],
  ['type_mismatch', 'int h2 = h;'],
  ['type_mismatch', 'complex[bit] c;'],
  ['type_mismatch', 'qubit[2] q; x q[0.5];'],
  ['type_mismatch', 'if (1im) { }'],
  ['argument_count', 'qubit q; cx q;'],
  ['argument_count', 'qubit[2] q; x q[0], q[1];'],
  ['argument_count', 'qubit q; gphase(1) q;'],
  ['argument_count', 'qubit[2] q; ctrl @ x q[0];'],
  ['argument_count', 'def f(int i) { } f();'],
  ['argument_count', 'float f = sin(1, 2);'],
  ['argument_count', 'extern f(int) -> int; int i = f();'],
  ['parameter_count', 'qubit q; rx q;'],
  ['parameter_count', 'qubit q; x(1) q;'],
  ['parameter_count', 'qubit q; U() q;'],
  ['duplicate_qubit', 'qubit[2] q; cx q[0], q[0];'],
  ['duplicate_qubit', 'qubit[2] q; cx q[1], q[-1];'],
  ['duplicate_qubit', 'cx $0, $0;'],
  ['duplicate_qubit', 'gate g a, b { cx a, a; }'],
  ['duplicate_qubit', 'qubit[3] q; let a = q[0:1] ++ q[1:2];'],
  ['index_out_of_range', 'qubit[2] q; x q[2];'],
  ['index_out_of_range', 'qubit[2] q; x q[-3];'],
  ['index_out_of_range', 'bit[2] c; c[2] = 1;'],
  ['index_out_of_range', 'array[int[8], 2] a; a[2] = 1;'],
  ['index_out_of_range', 'array[int[8], 2] a; a[0, 0] = 1;'],
  ['index_out_of_range', 'qubit[4] q; let a = q[2:1];'],
  ['index_out_of_range', 'qubit[4] q; let a = q[0:4];'],
  ['index_out_of_range', 'array[int[8], 2] a; uint n = sizeof(a, 1);'],
  ['not_constant', 'int n = 2; qubit[n] q;'],
  ['not_constant', 'input int n; bit[n] c;'],
  ['not_constant', 'int n = 2; const int m = n;'],
  ['not_constant', 'int n = 2; switch (n) { case n {} }'],
  ['not_constant', 'qubit[3] q; int n = 1; ctrl(n) @ x q[0], q[1];'],
  ['not_assignable', 'const int n = 2; n = 3;'],
  ['not_assignable', 'int n; def f() { n = 1; }'],
  ['not_assignable', 'def f(readonly array[int[8], 2] a) { a[0] = 1; }'],
  ['not_assignable', 'h = 1;'],
  ['invalid_value', 'qubit[0] q;'],
  ['invalid_value', 'bit[-1] c;'],
  ['invalid_value', 'const int n = 1 / 0;'],
  ['invalid_value', 'bit[2] c = 4;'],
  ['invalid_value', 'int i = 1 << -1;'],
  ['invalid_value', 'qubit[4] q; let a = q[0:0:3];'],
  ['invalid_value', 'qubit[2] q; ctrl(0) @ x q[0];'],
  ['invalid_value', 'array[int[8], 1, 1, 1, 1, 1, 1, 1, 1] a;'],
  ['invalid_value', `int i = ${'9'.repeat(19_740)};`],
  ['invalid_value', 'int i = 2 ** 2 ** 100;'],
  ['wrong_scope', 'break;'],
  ['wrong_scope', 'continue;'],
  ['wrong_scope', 'return;'],
  ['wrong_scope', 'for int i in [0:1] { def f() { break; } }'],
  ['wrong_scope', 'if (true) { qubit q; }'],
  ['wrong_scope', 'if (true) { array[int[8], 2] a; }'],
  ['wrong_scope', 'if (true) { gate g a { } }'],
  ['wrong_scope', 'if (true) { input int a; }'],
  ['wrong_scope', 'def f() { output bit a; }'],
  ['wrong_scope', 'if (true) { include "stdgates.inc"; }'],
  ['wrong_scope', 'def f() { qubit q; }'],
  ['wrong_scope', 'qubit q; def f() { x q; }'],
  ['wrong_scope', 'gate g a { reset a; }'],
  ['wrong_scope', 'gate g a { measure a; }'],
  ['wrong_scope', 'gate g a { int i = 1; }'],
  ['unsupported', 'input array[float, 100, 101] a;'],
  ['unsupported', 'int[5000] i;'],
  ['unsupported', 'int i; i ~= 1;'],
  ['too_many_qubits', 'qubit[70000] q;'],
  ['too_many_qubits', 'x $70000;'],
  ['too_many_bits', 'bit[70000] c;'],
  ['too_many_bits', 'array[int[8], 1001, 1000] a;'],
]

const meaning2: [QasmCode, string][] = [
  ['include_not_allowed', 'include "mylib.inc";'],
  ['unknown_name', 'qreg q[1]; nogate q[0];'],
  ['unknown_name', 'x q[0];'],
  ['unknown_name', 'qreg q[1]; measure q -> c;'],
  ['unknown_name', 'creg c[1]; measure q -> c;'],
  ['unknown_name', 'qreg q[1]; rx(foo) q[0];'],
  ['unknown_name', 'qreg q[1]; rx(arcsin(1)) q[0];'],
  ['duplicate_name', 'qreg q[1]; creg q[1];'],
  ['duplicate_name', 'gate g a { } gate g a { }'],
  ['recursion', 'gate g a { g a; }'],
  ['unsupported', 'opaque g a; qreg q[1]; g q[0];'],
  ['unsupported', 'opaque g a; gate k b { g b; }'],
  ['type_mismatch', 'qreg q[2]; creg c[3]; measure q -> c;'],
  ['type_mismatch', 'qreg q[2]; creg c[2]; measure c -> q;'],
  ['type_mismatch', 'gate g a { x a[0]; }'],
  ['index_out_of_range', 'qreg q[2]; x q[2];'],
  ['index_out_of_range', 'qreg q[2]; x q[-1];'],
  ['index_out_of_range', 'qreg q[2]; creg c[2]; measure q[0] -> c[2];'],
  ['argument_count', 'qreg q[2]; cx q[0];'],
  ['parameter_count', 'qreg q[2]; rx q[0];'],
  ['duplicate_qubit', 'qreg q[2]; cx q[0],q[0];'],
  ['duplicate_qubit', 'qreg q[2]; cx q,q;'],
  ['invalid_value', 'qreg q[0];'],
  ['type_mismatch', 'qreg q[1.5];'],
  ['invalid_value', 'qreg q[1]; rx(1/0) q[0];'],
]

describe('OpenQASM 3 syntax', () => {
  for (const text of syntax3) {
    test(`rejects ${JSON.stringify(text)}`, () => {
      expect(faultOf(() => parseProgram(text))?.[0]).toBe('syntax_error')
      expect(checkProgram(text).problems).not.toEqual([])
    })
  }
})

describe('OpenQASM 2 syntax', () => {
  for (const text of syntax2) {
    test(`rejects ${JSON.stringify(text)}`, () => {
      const fault = faultOf(() => parseProgram(program2(`qreg q[2]; creg c[2];\n${text}`)))
      expect(['syntax_error', 'wrong_scope', 'unknown_name']).toContain(fault?.[0] ?? 'accepted')
    })
  }
})

describe('OpenQASM 3 meaning', () => {
  for (const [code, text] of meaning3) {
    test(`${code}: ${JSON.stringify(text.slice(0, 100))}`, () => {
      expect(checkProgram(program3(text)).problems.map((problem) => problem.code)).toContain(code)
      expect(faultOf(() => parseProgram(program3(text)))?.[0]).toBe(code)
    })
  }
})

describe('OpenQASM 2 meaning', () => {
  for (const [code, text] of meaning2) {
    test(`${code}: ${JSON.stringify(text)}`, () => {
      expect(faultOf(() => parseProgram(program2(text)))?.[0]).toBe(code)
    })
  }
})
