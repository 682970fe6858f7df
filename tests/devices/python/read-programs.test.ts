import { expect, test } from 'bun:test'
import { readPrograms } from '../../../src/devices/python/read-programs.ts'
import { payloadOf } from '../support/jobs.ts'

const PROGRAM = `OPENQASM 3.0; // ψ 🎲 input
include "stdgates.inc";
input float[64] theta; input int n;
input  bool  flag;
qubit[2] q; bit c; bit[2] d;
rx(theta) q[0];`

test('readPrograms() finds registers and inputs, in code points as Python counts', () => {
  const circuit = { circuit: PROGRAM, parameter_values: [[0.5, 2, 1]] }
  const [program] = readPrograms(payloadOf([circuit]))
  const points = [...PROGRAM]
  expect(program?.inputs.map(({ start, end }) => points.slice(start, end).join(''))).toEqual([
    'input float[64] theta',
    'input int n',
    'input  bool  flag',
  ])
  expect(program).toMatchObject({
    qubits: 2,
    clbits: 3,
    qregs: [['q', 2]],
    cregs: [
      ['c', 1],
      ['d', 2],
    ],
    inputs: [{ form: 'float' }, { form: 'int' }, { form: 'bool' }],
  })
})

test.each([
  ['OPENQASM 3.0;\nqubit q;\nfoo q;', undefined, /^circuit 0, line 3, column 1: .*foo/],
  [PROGRAM, undefined, 'circuit 0 takes 3 parameters (theta, n, flag), parameter_values has none'],
  [PROGRAM, [[1, 2, 3], [1]], 'circuit 0 takes 3 parameters, set 1 has 1'],
  ['OPENQASM 3.0; qubit q;', [[1], [2]], 'circuit 0 takes 0 parameters, set 0 has 1'],
])('readPrograms() refuses %j with %j', (circuit, parameter_values, message) => {
  const entry = { circuit, ...(parameter_values && { parameter_values }) }
  expect(() => readPrograms(payloadOf([entry]))).toThrow(message)
})

test('readPrograms() refuses the value of an integer input that is none', () => {
  const read = (value: number) =>
    readPrograms(
      payloadOf([
        {
          circuit: PROGRAM,
          parameter_values: [
            [0.5, 2, 1],
            [0.5, value, 1],
          ],
        },
      ]),
    )
  for (const value of [1.5, 2 ** 53]) {
    expect(() => read(value)).toThrow(
      `circuit 0: The input "n" is int[64], an integer from -2^63 to 2^63 - 1: ${value} is `,
    )
  }
  expect(read(-3)).toHaveLength(1)
})

test('readPrograms() reads dt as the device publishes it', () => {
  const payload = payloadOf([
    { circuit: 'OPENQASM 3.0; qubit q; bit c; delay[10ns - 12dt] q; c = measure q;' },
  ])
  expect(() => readPrograms(payload)).toThrow('A delay must not be negative: -2e-9 s')
  expect(readPrograms(payload, { dt: 0.5e-9 })).toHaveLength(1)
})

test.each([
  ['rx(0.1) q[0];', undefined],
  ['h q[0];', 'h'],
  ['ctrl @ rx(0.1) q[0], q[1];', 'ctrl @ rx'],
  ['gate twice(a) q { rx(a) q; rx(a) q; } twice(0.1) q[0]; gphase(0.1);', undefined],
  ['gate hidden q { h q; } gate outer q { hidden q; } outer q[0];', 'h'],
  ['gate unused q { h q; } rx(0.1) q[0];', undefined],
  ['if (c == 1) { rx(0.1) q[0]; } else { x q[0]; }', 'x'],
  ['for int i in [0:1] { h q[i]; }', 'h'],
  ['switch (1) { case 1 { y q[0]; } default { z q[0]; } }', 'y'],
  ['def f(qubit a) { s a; } f(q[0]);', 's'],
])('readPrograms() refuses gates that the device does not describe: %s', (body, gate) => {
  const circuit = `OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit c; ${body} c = measure q[0];`
  const read = () => readPrograms(payloadOf([{ circuit }]), { gates: new Set(['rx', 'cx']) })
  if (gate === undefined) expect(read()).toHaveLength(1)
  else
    expect(read).toThrow(
      `circuit 0: the device does not describe the gate ${gate}; compile the program for rx, cx`,
    )
})
