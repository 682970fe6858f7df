import { expect, test } from 'bun:test'
import { drawProgram, parseProgram } from '../../../src/qasm/index.ts'
import { formatAngle, layoutCircuit } from '../../../ui/plots/circuit-layout.ts'

const layout = (text: string) =>
  layoutCircuit(drawProgram(parseProgram(`OPENQASM 3.0;\ninclude "stdgates.inc";\n${text}`), [], 500), true)
const brief = (text: string) =>
  layout(text).placed.map(
    ({ column, symbol: { shape, label, wires, controls } }) =>
      `${column} ${shape}${label && ` ${label}`} ${wires}${controls.map(({ qubit }) => ` c${qubit}`).join('')}`,
  )

test('steps on separate wires share a column; one between two wires blocks what it crosses', () => {
  expect(brief('qubit[3] q; h q; cx q[0], q[2]; x q[1];')).toEqual([
    ...['0 box H 0', '0 box H 1', '0 box H 2'],
    ...['1 plus 2 c0', '2 box X 1'],
  ])
})

test('gates with controls become dots with the symbol of their base', () => {
  expect(
    brief('qubit[3] q; cz q[0], q[1]; ccx q[0], q[1], q[2]; cswap q[0], q[1], q[2]; crz(pi/2) q[0], q[1];'),
  ).toEqual(['0 dot 1 c0', '1 plus 2 c0 c1', '2 cross 1,2 c0', '3 box Rz π/2 1 c0'])
})

test('modifiers and gates of the program are boxes with their names', () => {
  expect(
    brief('gate twist(a) x, y { cx x, y; } qubit[2] q; inv @ s q[0]; twist(0.25) q[0], q[1]; sdg q[1];'),
  ).toEqual(['0 box S† 0', '1 box twist 0.25 0,1', '2 box S† 1'])
})

test('depth counts gates and measurements, not barriers', () => {
  const { depth, entangling, columns } = layout(
    'qubit[2] q; bit[2] c; h q[0]; barrier q; cx q[0], q[1]; c = measure q;',
  )
  expect([depth, entangling, columns]).toEqual([3, 1, 5])
})

test.each([
  [Math.PI, 'π'],
  [-Math.PI / 2, '−π/2'],
  [(3 * Math.PI) / 4, '3π/4'],
  [0, '0'],
  [0.7, '0.7'],
  [-1.23456, '−1.23'],
])('formatAngle(%p) is %p', (radians, text) => {
  expect(formatAngle(radians)).toBe(text)
})
