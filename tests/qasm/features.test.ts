import { describe, expect, test } from 'bun:test'
import { checkProgram } from '../../src/qasm/index.ts'

const V3 = 'OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit[3] c;'

function featuresOf(body: string, head = V3): string[] {
  const { features, problems } = checkProgram(`${head} ${body}`)
  expect(problems).toEqual([])
  return features.toSorted()
}

describe('the features of a program', () => {
  test.each<[string, string, string[]]>([
    ['gates and a final measurement', 'h q[0]; cx q[0], q[1]; c = measure q;', []],
    ['qubits measured one by one', 'h q; c[0] = measure q[0]; h q[1]; c[1] = measure q[1];', []],
    ['a barrier after a measurement', 'c = measure q; barrier q;', []],
    ['a reset', 'reset q; h q[0]; c = measure q;', ['reset']],
    ['a gate after a measurement', 'c[0] = measure q[0]; x q[0];', ['mid_circuit']],
    [
      'many gates after a measurement',
      'c[0] = measure q[0]; x q[1]; x q[2]; h q[1]; h q[0];',
      ['mid_circuit'],
    ],
    ['a gate of several qubits', 'c[0] = measure q[0]; cx q[1], q[0];', ['mid_circuit']],
    ['a gate with a modifier', 'c[0] = measure q[0]; ctrl @ x q[0], q[1];', ['mid_circuit']],
    ['a second measurement', 'c[0] = measure q[0]; c[1] = measure q[0];', ['mid_circuit']],
    ['a reset after a measurement', 'c[0] = measure q[0]; reset q[0];', ['mid_circuit', 'reset']],
    ['a hardware qubit', 'bit b; b = measure $1; x $1;', ['mid_circuit']],
    ['another hardware qubit', 'bit b; b = measure $1; x $2;', []],
    ['a condition on a bit', 'c[0] = measure q[0]; if (c[0]) x q[1];', ['feedback']],
    ['a condition on a register', 'c = measure q; if (c == 2) { x q[1]; }', ['feedback', 'mid_circuit']],
    ['a measurement as condition', 'bool b = measure q[0]; if (b) x q[1];', ['feedback']],
    [
      'a computed condition',
      'c[0] = measure q[0]; int n = 1; n = int(c[0]) + 1; if (n == 2) x q[1];',
      ['feedback'],
    ],
    ['a switch', 'c = measure q; switch (int(c)) { case 1 { x q[1]; } }', ['feedback', 'mid_circuit']],
    ['a constant condition', 'const int n = 2; if (n == 2) x q[1]; c = measure q;', []],
    ['a loop', 'for int i in [0:2] { h q[i]; } c = measure q;', ['loops']],
    ['a loop that measures each qubit', 'for int i in [0:2] { h q[i]; c[i] = measure q[i]; }', ['loops']],
    [
      'a loop that measures one qubit',
      'for int i in [0:2] { h q[0]; c[0] = measure q[0]; }',
      ['loops', 'mid_circuit'],
    ],
    [
      'a loop until an outcome',
      'while (!c[0]) { c[0] = measure q[0]; }',
      ['feedback', 'loops', 'mid_circuit'],
    ],
    ['a condition on the number of the loop', 'for int i in [0:2] { if (i == 1) x q[0]; }', ['loops']],
    ['a loop in a gate', 'gate three a { for int i in [0:2] { h a; } } three q[0];', []],
    [
      'a subroutine',
      'def f(qubit a) -> bit { bit b = measure a; return b; } if (f(q[0])) x q[1];',
      ['feedback'],
    ],
  ])('%s', (_, body, expected) => {
    expect(featuresOf(body)).toEqual(expected)
  })

  test('an input', () => {
    expect(
      featuresOf(
        'rx(theta) q[0]; if (theta > 1) x q[0];',
        `OPENQASM 3.0; input float theta; ${V3.slice(14)}`,
      ),
    ).toEqual(['inputs'])
  })

  test('OpenQASM 2', () => {
    const head = 'OPENQASM 2.0; include "qelib1.inc"; qreg q[2]; creg c[2];'
    expect(featuresOf('h q[0]; measure q -> c;', head)).toEqual([])
    expect(featuresOf('measure q[0] -> c[0]; if (c == 1) x q[1]; reset q[1];', head)).toEqual([
      'feedback',
      'reset',
    ])
  })

  test('a program that is wrong has none', () => {
    expect(checkProgram('OPENQASM 3.0; qubit q; reset q; oops').features).toEqual([])
  })
})
