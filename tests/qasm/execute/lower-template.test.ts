import { expect, test } from 'bun:test'
import { lowerProgram, lowerTemplate, type Op, parseProgram } from '../../../src/qasm/index.ts'

const HEAD = `OPENQASM 3.0; include "stdgates.inc"; input float a; input angle[20] b; input int[8] n;
qubit[3] q; bit[3] c;
`

/** The steps of a program for values of its inputs, by its template. */
function bound(text: string, values: readonly number[]): Op[] | undefined {
  const template = lowerTemplate(parseProgram(text))
  const found = template?.bind(values)
  return template?.circuit.ops.map((op) => found?.get(op) ?? op)
}

const VALUES = [
  [0.5, 1.25, 3],
  [0, 0, 0],
  [-7.75, 3, -128],
  [Math.PI, Math.PI / 2, 127],
]

const TEMPLATES = {
  expressions: 'rx(2 * a) q[0]; rz(-a / 3 + n) q[1]; ry(sin(a) ** 2 - pi) q[2]; cx q[0], q[1];',
  angles: 'p(b) q[0]; cp(b / 2) q[0], q[1]; rx(float[32](a)) q[2];',
  'user gates': 'gate turn(s, t) x { rz(s / 2) x; u3(t, s, 0.5) x; } turn(a, 2) q[1]; turn(1, a * a) q; ',
  'loops and variables':
    'float v = a; for int i in [0:2] { v = v * 2; v += i; rx(v) q[i]; } array[float, 2] w = {a, 1}; ry(w[0]) q;',
  'an input array': 'input array[float, 1] d; ry(d[0] / 2) q[1]; rx(a) q[0];',
  'an input after computations': 'float v = 2 * a; input float d; rx(v + d) q[0];',
  subroutines:
    'def half(float t) -> float { return t / 2; } def go(qubit x, float t) { rx(t) x; } go(q[1], half(a));',
  'chained squares': `float v = a / 8; ${'v = v * v / 2 + 0.1; '.repeat(60)} rx(v) q[0];`,
  'a global phase': 'gphase(a); h q[0];',
  'nothing of inputs': 'h q[0]; ctrl @ rx(0.5) q[0], q[1];',
  'a measurement between': 'rx(a) q[0]; c[0] = measure q[0]; ry(a) q[0]; barrier q; reset q[2];',
}

for (const [name, text] of Object.entries(TEMPLATES)) {
  test(`a template gives the steps of the program for any values: ${name}`, () => {
    const whole = `${HEAD}${text} c = measure q;`
    for (const values of VALUES) {
      const program = parseProgram(whole)
      const all = program.inputs.length > 3 ? [...values, 0.625] : values
      expect(bound(whole, all)).toEqual(lowerProgram(program, all).ops as Op[])
    }
  })
}

const WITHOUT = {
  condition: 'if (a > 0) { x q[0]; }',
  loop: 'for int i in [0:n] { x q[0]; }',
  index: 'h q[n];',
  modifier: 'ctrl @ rx(a) q[0], q[1];',
  exponent: 'pow(a) @ x q[0];',
  'gate in a modified gate': 'gate turn(t) x { rz(t) x; } inv @ turn(a) q[0];',
  delay: 'delay[a * 1ns] q[0];',
  bits: 'bit[20] d = b; if (d[3]) { x q[0]; }',
  result: 'c[0] = n > 3;',
  feedback: 'h q[0]; c[0] = measure q[0]; if (c[0]) { rx(a) q[1]; }',
}

for (const [name, text] of Object.entries(WITHOUT)) {
  test(`a program whose inputs or outcomes decide more than angles has no template: ${name}`, () => {
    expect(lowerTemplate(parseProgram(HEAD + text))).toBeUndefined()
  })
}

test('binding refuses a value that lowering refuses, at the same place', () => {
  const cases: [string, number[]][] = [
    ['rx(1 / a) q[0];', [0, 0, 0]],
    ['rx(log(a)) q[0];', [0, 0, 0]],
    ['rx(a) q[0];', [Number.NaN, 0, 0]],
    ['rx(a) q[0];', [1, 0, 300]],
    ['rx(a) q[0];', [1, 0]],
  ]
  for (const [text, values] of cases) {
    const errorOf = (work: () => unknown) => {
      try {
        work()
      } catch (error) {
        const { message, code, line, column } = error as {
          message: string
          code: string
          line: number
          column: number
        }
        return { message, code, line, column }
      }
      return undefined
    }
    const lowered = errorOf(() => lowerProgram(parseProgram(HEAD + text), values))
    expect(lowered).toBeDefined()
    expect(errorOf(() => bound(HEAD + text, values))).toEqual(lowered)
  }
})
