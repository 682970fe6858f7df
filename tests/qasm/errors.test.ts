import { describe, expect, test } from 'bun:test'
import { checkProgram, lowerProgram, parseProgram, QasmError } from '../../src/qasm/index.ts'
import { faultOf, program3 } from './support.ts'

/** [program, code, line, column]: the position is where the reader should look. */
const places: [string, string, number, number][] = [
  ['OPENQASM 3;\nqubit q\nx q;', 'syntax_error', 3, 1],
  ['OPENQASM 3;\nqubit q;\n  nogate q;', 'unknown_name', 3, 3],
  ['OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[2];\ncx q[0],q[2];', 'index_out_of_range', 4, 11],
  ['OPENQASM 3;\nint i = 1 +;', 'syntax_error', 2, 12],
  ['int i = 1 + 2 + foo;', 'unknown_name', 1, 17],
  ['int i = 3;\r\nint j = 3_;', 'syntax_error', 2, 9],
  ['int é = 1;\nint é = 2;', 'duplicate_name', 2, 5],
  ['/* a\n b */ int i = "x";', 'syntax_error', 2, 15],
  ['int i;\n\n\n/* open', 'syntax_error', 4, 1],
  ['include "a.inc";', 'include_not_allowed', 1, 9],
  ['def f() {\n  int i;\n  i = g();\n}', 'unknown_name', 3, 7],
  ['if (true) {\n', 'syntax_error', 2, 1],
  ['qubit[2] q;\nctrl(0) @ U(0,0,0) q[0];', 'invalid_value', 2, 1],
  ['bit[4] c;\nc[1:2] = "111";', 'type_mismatch', 2, 10],
  ['OPENQASM 4;', 'unsupported', 1, 10],
]

describe('QasmError', () => {
  for (const [text, code, line, column] of places) {
    test(`${code} at ${line}:${column} in ${JSON.stringify(text)}`, () => {
      expect(faultOf(() => parseProgram(text))).toEqual([code, line, column])
      expect(checkProgram(text).problems[0]).toMatchObject({ code, line, column })
    })
  }

  test('has a message that names the cause and the remedy', () => {
    const { problems } = checkProgram('OPENQASM 3; qubit q; foo q;')
    expect(problems[0]?.message).toBe('There is no gate "foo": define it first')
  })

  test.each([
    [
      'include "stdgates.inc"; input float t;',
      '"t" is already declared, as a standard gate: choose another name',
    ],
    ['float pi;', '"pi" is already declared, as a built-in constant: choose another name'],
    ['gate g a { } int g;', '"g" is already declared'],
  ])('says what else declares a name: %s', (text, message) => {
    expect(checkProgram(text).problems[0]?.message).toBe(message)
  })

  test('is thrown with a position by lowering as well', () => {
    const program = parseProgram('OPENQASM 3;\nextern f(int) -> bit;\nbit b;\nb = f(3);')
    expect(faultOf(() => lowerProgram(program, []))).toEqual(['unsupported', 4, 5])
  })

  test('is an Error with a stable name', () => {
    const error = new QasmError('syntax_error', 'text', 1, 2)
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('QasmError')
  })
})

describe('checkProgram()', () => {
  test('reports every problem of a program in text order', () => {
    const text = program3('qubit[2] q;\nnogate q;\ncx q[0];\nint i = 1im;\nx q[5];')
    expect(checkProgram(text).problems.map(({ code, line }) => [code, line])).toEqual([
      ['unknown_name', 4],
      ['argument_count', 5],
      ['type_mismatch', 6],
      ['index_out_of_range', 7],
    ])
  })

  test('reports problems inside blocks, gates and subroutines', () => {
    const text = program3(
      'gate g a { no a; }\ndef f(qubit q) { for int i in [0:1] { no q; } }\nif (true) { no $0; } else { no $1; }',
    )
    expect(checkProgram(text).problems.map(({ line }) => line)).toEqual([3, 4, 5, 5])
  })

  test('reports an incorrectly declared name once', () => {
    const text = program3('qubit[n] q;\nh q;\ncx q[0], q[1];\nlet a = q[0];\nx a;')
    expect(checkProgram(text).problems).toHaveLength(1)
  })

  test('counts inputs, qubits and bits', () => {
    const text = program3('input float a; input int b; qubit[3] q; qubit r; bit[2] c; bit d; x $1;')
    expect(checkProgram(text)).toEqual({
      inputs: [
        { name: 'a', type: { kind: 'float', width: 64 } },
        { name: 'b', type: { kind: 'int', width: 64 } },
      ],
      qubits: 6,
      clbits: 3,
      measurements: { amount: 0, line: 0 },
      branches: { amount: 0, line: 0 },
      features: ['inputs'],
      used: { qubits: 1, physical: [1], pairs: [], groups: [] },
      usesDt: false,
      problems: [],
      warnings: [],
    })
  })

  const placesOf = (text: string) =>
    checkProgram(text).problems.map(({ line, column, code }) => `${line}:${column} ${code}`)

  test('finds each syntax error, and then no other problems', () => {
    expect(placesOf('int i = ;\nint j = ;')).toEqual(['1:9 syntax_error', '2:9 syntax_error'])
    expect(placesOf('nogate $0;\nint i = ;\nnogate $0;')).toEqual(['2:9 syntax_error'])
  })

  test('goes on after a block or a missing semicolon, not within them, nor in a text of another format', () => {
    expect(placesOf('qubit q;\nU(0, 0, 0) q\nU(0, 0, 0) q;\nint i = ;')).toEqual([
      '3:1 syntax_error',
      '4:9 syntax_error',
    ])
    expect(placesOf('qubit q;\nif (true) { int i = ; U(0, 0, 0) q; }\nint j = ;')).toEqual([
      '2:21 syntax_error',
      '3:9 syntax_error',
    ])
    expect(placesOf('hello "world')).toEqual(['1:7 syntax_error'])
    expect(checkProgram('int i = ;\n'.repeat(1_000)).problems).toHaveLength(20)
  })

  test('reports at most a hundred problems', () => {
    expect(checkProgram('nogate $0;\n'.repeat(1000)).problems).toHaveLength(100)
  })
})

describe('parseProgram()', () => {
  test('lists the inputs with their types in declaration order', () => {
    const { inputs, version } = parseProgram('input float[64] theta; input angle[ 2*4 ] phi; input bit flag;')
    expect(version).toBe(3)
    expect(inputs).toEqual([
      { name: 'theta', type: { kind: 'float', width: 64 } },
      { name: 'phi', type: { kind: 'angle', width: 8 } },
      { name: 'flag', type: { kind: 'bit' } },
    ])
  })
})
