import { expect, test } from 'bun:test'
import { checkProgram } from '../../../src/qasm/index.ts'

const HEAD = 'OPENQASM 3.0; include "stdgates.inc";'
const needsOf = (text: string) => {
  const { used, problems } = checkProgram(text)
  expect(problems).toEqual([])
  return used
}
const on = (text: string) => needsOf(`${HEAD} ${text}`)

test.each([
  ['gates on registers, as one group', 'qubit[5] q; cx q[0], q[1]; cz q[1], q[3]; x q[4];', 4, [3]],
  ['several groups, the largest first', 'qubit[6] q; cx q[0], q[1]; ccx q[2], q[3], q[4];', 5, [3, 2]],
  ['an element-wise call', 'qubit[2] a; qubit[2] b; cx a, b;', 4, [2, 2]],
  ['modifiers', 'qubit[3] q; ctrl @ rx(0.1) q[0], q[1]; ctrl(2) @ x q[0], q[1], q[2];', 3, [3]],
  ['own gates by their body', 'qubit[3] q; gate g a, b, c { x b; cx a, c; } g q[0], q[1], q[2];', 3, [2]],
  [
    'own gates of own gates',
    'qubit[3] q; gate f a, b { cx b, a; } gate g a, b, c { f c, b; } g q[0], q[1], q[2];',
    3,
    [2],
  ],
  ['no exchange of states, and no barrier', 'qubit[3] q; swap q[0], q[1]; barrier q;', 2, []],
])('the needs of a program contain %s', (_, text, qubits, groups) => {
  expect(on(text)).toEqual({ qubits, physical: [], pairs: [], groups })
})

test('the needs of a program name the pairs of physical qubits that its gates join', () => {
  const gates = 'gate g a, b { cx b, a; } gate none a, b { x a; x b; }'
  expect(on(`${gates} cx $3, $1; cz $1, $3; g $4, $2; none $5, $6; ccx $7, $8, $9;`)).toEqual({
    qubits: 9,
    physical: [1, 2, 3, 4, 5, 6, 7, 8, 9],
    pairs: [
      [1, 3],
      [2, 4],
    ],
    groups: [3, 2, 2],
  })
})

test('OpenQASM 2 has the same needs', () => {
  const text =
    'OPENQASM 2.0; include "qelib1.inc"; qreg q[4]; gate g a, b { cx a, b; } g q[0], q[2]; cx q[2], q[3];'
  expect(needsOf(text)).toEqual({ qubits: 3, physical: [], pairs: [], groups: [3] })
})

test.each([
  ['if (false) { cx $0, $1; } x $2;', [2]],
  ['const bool on = false; if (on) { x $0; } else { x $1; }', [1]],
  ['const int n = 3; if (n == 3) { x $0; } else { x $1; }', [0]],
  ['while (false) { x $0; } x $1;', [1]],
  // What only a run decides may be reached.
  ['bool on = false; if (on) { x $0; } else { x $1; }', [0, 1]],
  ['bit c; c = measure $0; if (c) { x $1; }', [0, 1]],
])('what no run reaches uses no qubits: %s', (text, physical) => {
  expect(on(text)).toMatchObject({ physical, qubits: physical.length })
})
