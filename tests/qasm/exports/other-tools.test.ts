import { describe, expect, test } from 'bun:test'
import { checkProgram, parseProgram } from '../../../src/qasm/index.ts'
import { exactDistribution } from '../../support/exports/exact-distribution.ts'
import { distance, faultOf, opsOf, program2, program3, unitaryOf } from '../support.ts'

/** The warnings of a program that has no problems, as [code, line]. */
function warningsOf(text: string): [string, number][] {
  const { problems, warnings } = checkProgram(text)
  expect(problems).toEqual([])
  return warnings.map(({ code, line }) => [code, line])
}

/** The only problem of a program. */
function messageOf(text: string): string | undefined {
  const { problems } = checkProgram(text)
  expect(problems).toHaveLength(1)
  return problems[0]?.message
}

/** The outcomes of a program that has a single one. */
function outcomeOf(text: string): string[] {
  return Object.keys(exactDistribution(parseProgram(text), []))
}

describe('waits of OpenQASM 2', () => {
  test('an opaque delay is a wait of dt, with a warning', () => {
    const text = program2(
      'opaque delay(param0) q0;\nqreg q[1];\ncreg c[1];\nx q[0];\ndelay(1600) q[0];\nmeasure q->c;',
    )
    expect(outcomeOf(text)).toEqual(['1'])
    expect(opsOf(text)[1]).toMatchObject({ kind: 'delay', qubits: [0] })
    expect(warningsOf(text)).toEqual([['no_unit', 7]])
  })

  test.each([
    'opaque delay_139670048681040(t) q; qreg q[2]; delay_139670048681040(1.5) q[1];',
    'qreg q[2]; delay(2) q[1];',
    'qreg q[2]; gate g a { delay(3) a; } g q[1];',
    'qreg q[2]; creg c[1]; if (c == 0) delay(3) q[1];',
  ])('%s waits', (body) => {
    expect(opsOf(program2(body))).toMatchObject([{ kind: 'delay', qubits: [1] }])
  })

  test('a definition in the program wins', () => {
    const text = program2('gate delay(t) a { x a; } qreg q[1]; creg c[1]; delay(3) q[0]; measure q->c;')
    expect(outcomeOf(text)).toEqual(['1'])
    expect(warningsOf(text)).toEqual([])
  })

  test.each([
    ['duplicate_name', 'qreg q[1];\ndelay(3) q[0];\ngate delay(t) a { x a; }'],
    ['parameter_count', 'opaque delay(t) a;\nqreg q[1];\ndelay q[0];'],
    ['parameter_count', 'opaque delay(t) a;\nqreg q[1];\ndelay(1, 2) q[0];'],
    ['invalid_value', 'opaque delay(t) a;\nqreg q[1];\ndelay(-1) q[0];'],
  ])('%s: %s', (code, body) => {
    expect(faultOf(() => opsOf(program2(body)))?.[0]).toBe(code)
  })
})

describe('what pytket computes in OpenQASM 2', () => {
  const head = 'qreg q[1]; creg a[3]; creg b[3]; creg d[4]; x q[0]; measure q[0] -> a[1]; '

  // Registers d, b, a; a is 2.
  test.each([
    ['if (a >= 2) d = 5;', '0101000010'],
    ['if (a < 2) d = 5;', '0000000010'],
    ['if (a <= 2) d[0] = 1;', '0001000010'],
    ['if (a > 2) d = 5;', '0000000010'],
    ['if (a != 2) d = 5;', '0000000010'],
    ['if (a[1] == 1) d[3] = 1;', '1000000010'],
    ['b = a; if (b >= a) b[0] = a[1];', '0000011010'],
    ['b = (a | (~b));', '0000111010'],
    ['b = ~a ^ 7;', '0000010010'],
    ['d[1] = a[1] & a[0]; d[2] = a[1] ^ a[0]; d[3] = 1; d[3] = 0;', '0100000010'],
    ['barrier q[0],a[0]; barrier a; measure q[0] -> d[0];', '0001000010'],
    ['if (b == 1) measure q[0] -> d[0];', '0000000010'],
  ])('%s', (body, outcome) => {
    expect(outcomeOf(program2(head + body))).toEqual([outcome])
  })

  test.each([
    ['b = a', 'syntax_error', 'Expected ";" but found the end of the program'],
    ['b = a + b;', 'unsupported', '"+" is an extension of pytket'],
    ['b = (a << 1);', 'unsupported', '"<<" is an extension of pytket'],
    ['b = a ** 2;', 'unsupported', '"**" is an extension of pytket'],
    ['d[0] = a == 2;', 'unsupported', '"==" is an extension of pytket'],
    ['b = add(a, b);', 'unsupported', '"add(…)" calls a function, an extension of pytket'],
    ['set(a, b);', 'unsupported', '"set(…)" calls a function, an extension of pytket'],
    ['b = a & b | a;', 'syntax_error', 'Expected parentheses around "&"'],
    ['d = a;', 'type_mismatch', 'bit[3] cannot become bit[4]'],
    ['b = 8;', 'invalid_value', '8 does not fit into 3 bits'],
    ['q = a;', 'type_mismatch', '"q" consists of qubits'],
  ])('%s is refused: %s', (body, code, message) => {
    expect(faultOf(() => opsOf(program2(head + body)))?.[0]).toBe(code)
    expect(messageOf(program2(head + body))).toStartWith(message)
  })

  test('a gate without qubits is no call of a function', () => {
    expect(messageOf(program2('rx(0.3);'))).toStartWith('Expected a name')
  })
})

describe('global phases of OpenQASM 2', () => {
  test.each([
    'gphase(0.3);',
    'gphase(0.3) q[0];',
    'gphase(pi/2) q[0],q[1];',
    'gate g a { gphase(1) a; } g q[1];',
  ])('%s changes no outcome', (body) => {
    const text = program2(`qreg q[2]; creg c[2]; x q[0]; ${body} measure q->c;`)
    expect(outcomeOf(text)).toEqual(['01'])
  })

  test('its qubits are checked all the same', () => {
    expect(faultOf(() => parseProgram(program2('qreg q[2]; gphase(0.3) q[2];')))?.[0]).toBe(
      'index_out_of_range',
    )
  })

  test('a definition in the program wins', () => {
    const text = program2('gate gphase(t) a { x a; } qreg q[1]; creg c[1]; gphase(3) q[0]; measure q->c;')
    expect(outcomeOf(text)).toEqual(['1'])
  })
})

describe('gates that a program does not define', () => {
  test('sxdg of Cirq in OpenQASM 3 is the inverse of sx', () => {
    const text = program3('qubit[1] q; bit[1] c; sxdg q[0]; sxdg q[0]; c[0] = measure q[0];')
    expect(outcomeOf(text)).toEqual(['1'])
    expect(
      distance(
        unitaryOf(program3('qubit[2] q;\nctrl @ sxdg q[0], q[1];')),
        unitaryOf(program3('qubit[2] q;\nctrl @ inv @ sx q[0], q[1];')),
      ),
    ).toBeLessThan(1e-12)
  })

  test('their first use is a warning with its line', () => {
    const text = program2('qreg q[2];\nryy(0.1) q[0],q[1];\nryy(0.2) q[0],q[1];\niswap q[0],q[1];')
    expect(warningsOf(text)).toEqual([
      ['implied_gate', 4],
      ['implied_gate', 6],
    ])
  })

  test('those of the standard library need no include', () => {
    const text = 'OPENQASM 3.0;\nbit[2] b;\nqubit[2] q;\nx q[0];\ncnot q[0], q[1];\nsi q[1];\nb = measure q;'
    expect(outcomeOf(text)).toEqual(['11'])
    expect(warningsOf(text).map(([, line]) => line)).toEqual([4, 5, 6])
  })

  test('names of Braket count only in programs that include nothing', () => {
    expect(messageOf(program3('qubit[2] q; cnot q[0], q[1];'))).toEndWith('did you mean "cx"?')
  })

  test('a definition in the program wins', () => {
    const text = program2('gate iswap a,b { x a; } qreg q[2]; creg c[2]; iswap q[0],q[1]; measure q->c;')
    expect(outcomeOf(text)).toEqual(['01'])
    expect(warningsOf(text)).toEqual([])
  })

  test.each([
    program2('qreg q[2]; iswap q[0],q[1]; gate iswap a,b { x a; }'),
    'OPENQASM 2.0; qreg q[1]; h q[0]; gate h a { x a; }',
    'OPENQASM 3.0; qubit[1] q; h q[0]; gate h a { x a; }',
    'OPENQASM 3.0; qubit[1] q; t q[0]; float t = 1;',
  ])('a definition after its use is refused: %s', (text) => {
    expect(messageOf(text)).toContain('by its use as a gate of other tools: move the declaration up')
  })

  test('a variable of that name is none', () => {
    expect(checkProgram('qubit q; float v = 1; rx(v) q;').problems).toEqual([])
    expect(messageOf('qubit q; float v = 1; v q;')).toBe('"v" is not a gate')
  })

  test('a gate does not call the one of its own name', () => {
    expect(messageOf('OPENQASM 2.0; gate h a { h a; }')).toBe('The gate "h" must not call itself')
  })

  test('an opaque gate of a known name and shape runs', () => {
    const known = program2('opaque iswap a,b;\nqreg q[2];\niswap q[0],q[1];')
    expect(warningsOf(known)).toEqual([['implied_gate', 5]])
    expect(messageOf(program2('opaque iswap a;\nqreg q[2];\niswap q[0];'))).toContain('is opaque')
    expect(messageOf(program2('opaque magic a;\nqreg q[2];\nmagic q[0];'))).toContain('is opaque')
  })

  test('a plain call after the first is the same gate as with brackets', () => {
    const text =
      'OPENQASM 3.0; qubit[2] q; for int i in [0:1] { v q[i]; } v q[0]; v q[1]; if (true) { v q[0]; }'
    expect(opsOf(text).map((op) => op.kind === 'unitary' && [op.name, op.targets])).toEqual([
      ...[
        ['sx', [0]],
        ['sx', [1]],
        ['sx', [0]],
        ['sx', [1]],
        ['sx', [0]],
      ],
    ])
  })
})

describe('hqslib1.inc of pytket', () => {
  test('makes a program without a version one of OpenQASM 2', () => {
    expect(parseProgram('include "hqslib1.inc"; qreg q[1]; U1q(pi, 0) q[0];').version).toBe(2)
  })

  test('has the gates of trapped ions', () => {
    const zz = unitaryOf('OPENQASM 2.0; include "hqslib1.inc"; qreg q[2]; ZZ q[0],q[1];')
    const rzz = unitaryOf(program2('qreg q[2]; rzz(pi/2) q[0],q[1];'))
    expect(distance(zz, rzz, true)).toBeLessThan(1e-12)
    const pairs = 'OPENQASM 2.0; include "hqslib1.inc"; qreg q[2]; Rxxyyzz(0.1,0.2,0.3) q[0],q[1];'
    const single = program2('qreg q[2]; rxx(0.1) q[0],q[1]; ryy(0.2) q[0],q[1]; rzz(0.3) q[0],q[1];')
    expect(distance(unitaryOf(pairs), unitaryOf(single), true)).toBeLessThan(1e-12)
  })
})

describe('directives', () => {
  test('a matrix of Braket acts with its first qubit as the most significant bit', () => {
    const matrix = '[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0im], [0, 0, 0 + 1.0im, 0]]'
    const text = `OPENQASM 3.0;\nqubit[2] q;\n#pragma braket unitary(${matrix}) q[1], q[0]\n`
    const same = 'OPENQASM 3.0;\nqubit[2] q;\nctrl @ gphase(pi / 2) q[1];\nctrl @ x q[1], q[0];'
    expect(distance(unitaryOf(text), unitaryOf(same))).toBeLessThan(1e-12)
    expect(warningsOf(text)).toEqual([])
  })

  test.each([
    ['invalid_value', '[[1, 0], [1, 1]]', 'q[0]'],
    ['type_mismatch', '[[1, 0], [0, 1]]', 'q[0], q[1]'],
    ['type_mismatch', '[[1, 0], [0]]', 'q[0]'],
    ['type_mismatch', '[[1, 0], [0, 1]]', 'q'],
    ['duplicate_qubit', '[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]', 'q[0], q[0]'],
    ['syntax_error', '[[1, 0], [0, 1]', 'q[0]'],
    ['syntax_error', '[[1, 0], [0, 1]]', 'q[0];'],
  ])('a matrix is refused as %s: %s on %s', (code, matrix, qubits) => {
    const text = `OPENQASM 3.0;\nqubit[2] q;\n#pragma braket unitary(${matrix}) ${qubits}\nx q[0];`
    expect(faultOf(() => parseProgram(text))?.[0]).toBe(code)
  })

  test('others are named as ignored, wherever they are', () => {
    const text = [
      'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;',
      '#pragma braket noise bit_flip(0.1) q[0]\npragma  vendor   thing { ( ;',
      'if (true) {\n  #pragma braket noise kraus([[1]]) q[0]\n  x q[0];\n}\n#pragma braket result probability all',
    ].join('\n')
    expect(checkProgram(text).warnings.map(({ message, line }) => [line, message])).toEqual([
      [4, '#pragma braket noise bit_flip is ignored'],
      [5, '#pragma vendor thing is ignored'],
      [7, '#pragma braket noise kraus is ignored'],
      [10, '#pragma braket result probability all is ignored'],
    ])
    expect(warningsOf(program2('#pragma thing\nqreg q[1];'))).toEqual([['ignored_directive', 3]])
  })
})

describe('other constructs of exporters', () => {
  test('a gate of OpenQASM 2 may reset qubits, as `initialize` of Qiskit does', () => {
    const text = program2(
      'gate initialize(p) a { reset a; x a; } qreg q[1]; creg c[1]; h q[0]; initialize(1) q[0]; measure q->c;',
    )
    expect(outcomeOf(text)).toEqual(['1'])
    expect(checkProgram(text).features).toContain('reset')
  })

  test('a register may be a list of bits, as Qiskit writes bits of several registers', () => {
    const text =
      'bit a; bit b; let c = {a, b}; let d = {c[1], c[0]}; qubit[2] q; x q[0]; d[0] = measure q[0];'
    expect(outcomeOf(text)).toEqual(['10'])
  })
})

describe('near names', () => {
  test.each([
    ['qubit[2] q; cnot q[0], q[1];', 'There is no gate "cnot": define it first; did you mean "cx"?'],
    ['qubit[2] q; Toffoli q[0], q[1];', 'There is no gate "Toffoli": define it first; did you mean "ccx"?'],
    ['qubit[2] q; H q[0];', 'There is no gate "H": define it first; did you mean "h"?'],
    ['qubit[2] q; rxz(1) q[0];', 'There is no gate "rxz": define it first; did you mean "rx" or "rz"?'],
    [
      'qubit q; gate entangle a { } entangel q;',
      'There is no gate "entangel": define it first; did you mean "entangle"?',
    ],
    ['qubit q; foo q;', 'There is no gate "foo": define it first'],
    ['int count; count = cuont + 1;', '"cuont" is not declared; did you mean "count"?'],
    ['float f = PI;', '"PI" is not declared; did you mean "pi"?'],
    ['float f = sine(1);', 'There is no function "sine"; did you mean "sin"?'],
    [
      'def twice(int n) -> int { return 2 * n; } int i = twise(1);',
      'There is no function "twise"; did you mean "twice"?',
    ],
  ])('%s', (body, message) => {
    expect(messageOf(program3(body))).toBe(message)
  })
})

describe('spellings from before OpenQASM 3.0', () => {
  test.each([
    ['for i in [0:3] { }', 'write "for int i in"'],
    ['for i in {0, 1} { }', 'write "for int i in"'],
    ['const n = 3;', 'write "const int n ="'],
    ['kernel f(int) -> bit;', 'write extern'],
    ['qubit q[2];', 'as in "qubit[2] q"'],
    ['bit c[2];', 'as in "qubit[2] q"'],
    ['def f(int[32]:n) { }', 'write "type name"'],
    ['qubit[3] q; ctrl[2] @ x q[0], q[1], q[2];', 'write "ctrl(n) @"'],
    ['length t = 100ns;', 'write duration'],
    ['qubit[2] a; qubit[2] b; let c = a || b;', 'write "++"'],
    ['#pragma {\n}\n', 'it ends with its line'],
    ['opaque delay(t) q;', 'exists in OpenQASM 2 only'],
    ['opaque magic q;', 'exists in OpenQASM 2 only'],
  ])('%s', (body, remedy) => {
    expect(messageOf(program3(body))).toEndWith(
      remedy.startsWith('exists') ? ': define the gate, or begin with OPENQASM 2.0' : remedy,
    )
  })

  test('the words are names elsewhere', () => {
    const text = program3('gate length a { x a; } qubit q; length q; int kernel = 1; kernel = 2;')
    expect(checkProgram(text).problems).toEqual([])
  })
})
