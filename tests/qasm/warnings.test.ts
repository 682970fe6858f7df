import { describe, expect, test } from 'bun:test'
import { checkProgram } from '../../src/qasm/index.ts'
import { lower, program2, program3 } from './support.ts'

/** Code, line and column of each warning of a check. Statements of `program3` begin on line 3. */
function warningsOf(text: string): [string, number, number][] {
  const { problems, warnings } = checkProgram(text)
  expect(problems).toEqual([])
  return warnings.map(({ code, line, column }) => [code, line, column])
}

const U = (text: string) => warningsOf(program3(`qubit[3] q;\n${text}`))

describe('the phase that U omits', () => {
  test('is observable under controls, which have line and column', () => {
    expect(
      U('ctrl @ U(pi, 0, pi) q[0], q[1];\nx q[0];\n inv @ negctrl(2) @ U(0.3, 0, 0) q[0], q[1], q[2];'),
    ).toEqual([
      ['omitted_phase', 4, 1],
      ['omitted_phase', 6, 8],
    ])
    expect(U('ctrl @ u3(0, 1, 2) q[0], q[1];')).toEqual([['omitted_phase', 4, 1]])
    expect(U('negctrl @ u2(1, 2) q[0], q[1];')).toEqual([['omitted_phase', 4, 1]])
  })

  test('is observable in a power that is not whole or not known', () => {
    expect(U('pow(0.5) @ U(pi, 0, pi) q[0];')).toHaveLength(1)
    expect(
      U('bit b; float f = 2; b = measure q[0]; if (b) f = 0.5; pow(f) @ U(pi, 0, pi) q[0];'),
    ).toHaveLength(1)
  })

  test('is global otherwise, zero for some angles, and unknown to OpenQASM 2', () => {
    expect(
      U('U(1, 2, 3) q[0]; inv @ U(1, 2, 3) q[0]; pow(-3) @ U(1, 2, 3) q[0]; pow(2.0) @ u3(1, 2, 3) q;'),
    ).toEqual([])
    expect(
      U('ctrl @ U(0, 1, 2) q[0], q[1]; ctrl @ U(4*pi, 1, 2) q[0], q[1]; ctrl @ u3(1, 2, -2) q[0], q[1];'),
    ).toEqual([])
    expect(U('ctrl @ CX q[0], q[1], q[2]; ctrl @ x q[0], q[1]; ctrl @ p(1) q[0], q[1];')).toEqual([])
    expect(warningsOf(program2('gate g a { U(1,2,3) a; u3(1,2,3) a; }\nqreg q[1];\ng q[0];'))).toEqual([])
  })

  test('is that of gates in the body of a gate as well, also of later ones', () => {
    const gates = 'gate g(t) a { U(t, 0, 0) a; }\ngate outer a, b { g(0.2) a; h b; }\n'
    const plain = 'gate p0 a { U(0, 0, 1) a; }\n'
    expect(
      warningsOf(program3(`${gates}qubit[3] q;\nouter q[0], q[1];\nctrl @ outer q[0], q[1], q[2];`)),
    ).toEqual([['omitted_phase', 7, 1]])
    expect(
      warningsOf(program3(`${plain}gate after a { p0 a; h a; }\nqubit[2] q;\nctrl @ after q[0], q[1];`)),
    ).toEqual([])
    expect(
      warningsOf(
        program3('gate cx2 c, t { ctrl @ U(pi, 0, pi) c, t; }\nqubit[3] q;\nctrl @ cx2 q[0], q[1], q[2];'),
      ),
    ).toEqual([['omitted_phase', 3, 17]])
  })

  test('is named in the result with all lines', () => {
    const call = 'ctrl @ U(pi, 0, pi) q[0], q[1];\n'
    expect(lower(program3(`qubit[2] q;\n${call}${call}ctrl @ u3(0, 0, 1) q[0], q[1];`)).warnings).toEqual([
      'A modifier makes the phase of U observable: U is computed as in Qiskit and OpenQASM 2, without the factor e^{iθ/2} of the OpenQASM 3 text (lines 4, 5)',
      'A modifier makes the phase of u3 observable: u3 is computed as in Qiskit and OpenQASM 2, without the factor e^{-i(φ+λ)/2} of the OpenQASM 3 text (line 6)',
    ])
  })
})

describe('warnings', () => {
  test('are those of all statements, executed or not', () => {
    const text = program3(
      'qubit q;\nif (false) { delay[durationof({ x q; })] q; }\nstretch gap;\noutput int n;',
    )
    expect(warningsOf(text).map(([code, line]) => [code, line])).toEqual([
      ['no_duration', 4],
      ['no_duration', 5],
      ['left_out', 6],
    ])
    expect(lower(text).warnings).toHaveLength(3)
  })

  test.each([
    ['defcal x $0 { play(a); }', 'defcal x is ignored'],
    ['defcal measure $0 -> bit { }', 'defcal measure is ignored'],
    ['cal { waveform w; }', 'cal is ignored'],
    ['x[100ns] q;', 'The duration of a call of "x" is ignored'],
    ['rx(0.3)[100ns] q;', 'The duration of a call of "rx" is ignored'],
    ['gate g a { x[10ns] a; } g q;', 'The duration of a call of "x" is ignored'],
    ['box[100ns] { x q; }', 'The duration of a box is ignored'],
  ])('name what devices do in their own way: %s', (body, message) => {
    const text = program3(`qubit q; ${body}`)
    expect(warningsOf(text)[0]?.[0]).toBe('ignored_directive')
    expect(lower(text).warnings).toEqual([`${message} (line 3)`])
  })

  test('are not given for a box without a duration', () => {
    expect(warningsOf(program3('qubit q; box { x q; }'))).toEqual([])
  })

  test('are bounded in kinds and places', () => {
    const many = Array.from(
      { length: 200 },
      (_, at) => `output int n${at};\nctrl @ U(1, 0, 0) $0, $1;\n`,
    ).join('')
    expect(warningsOf(many)).toHaveLength(49 + 20)
    expect(lower(many).warnings).toHaveLength(50)
  })
})
