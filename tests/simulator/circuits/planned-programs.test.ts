import { expect, test } from 'bun:test'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'
import { boundPlan, plannedProgram } from '../../../src/simulator/circuits/planned-programs.ts'
import { depolarizing } from '../../../src/simulator/noise/channel.ts'
import { defineNoiseModel, onQubit, withNoise } from '../../../src/simulator/noise/noise-model.ts'
import { reduceCircuit } from '../../../src/simulator/reduction/reduce-circuit.ts'
import { runOptions } from '../support/run.ts'

const LOOP = `OPENQASM 3.0; include "stdgates.inc"; input float a; input float b; qubit[4] q; bit[2] c;
ry(a) q[0]; rz(b) q[0]; cx q[0], q[1]; ry(a + b) q[1]; rx(b) q[3]; c = measure q[0:1];`

const { timeBudget } = runOptions()
const EXACT = { noise: undefined, observables: [], timeBudget }

test('a program is lowered and reduced once; each set of values gives its own circuit', () => {
  const program = parseProgram(LOOP)
  const plan = plannedProgram(program, EXACT)
  if (!plan) throw new Error('no plan')
  expect(plannedProgram(parseProgram(LOOP), EXACT)).toBe(plan)
  for (const values of [
    [0.5, 2],
    [-1, 0.25],
  ]) {
    const { ops = [], qubits, clbits } = lowerProgram(program, values)
    expect(boundPlan(plan, values, EXACT)).toEqual(reduceCircuit(ops, qubits, clbits))
  }
})

test('special angles give the circuit of the program with the values written in it', () => {
  const texts = [
    LOOP,
    // A gate after a measurement that is diagonal for some values: the measurement is then a final one.
    `OPENQASM 3.0; include "stdgates.inc"; input float a; input float b; qubit[2] q; bit[2] c;
ry(0.3) q[0]; cx q[0], q[1]; c[0] = measure q[0]; rx(a) q[0]; crx(b) q[1], q[0]; U(a, b, 0.1) q[0]; c[1] = measure q[1];`,
    // The other qubit matters only for some values.
    `OPENQASM 3.0; include "stdgates.inc"; input float a; input float b; qubit[2] q; bit c;
h q; crx(a) q[1], q[0]; U(b, 0, 0) q[1]; c = measure q[0];`,
  ]
  for (const text of texts) {
    const program = parseProgram(text)
    const plan = plannedProgram(program, EXACT)
    if (!plan) throw new Error('no plan')
    for (const values of [
      [0, 0],
      [0, 0.5],
      [0.5, 0],
      [4 * Math.PI, 0],
      [1, 2],
    ]) {
      const { ops = [], qubits, clbits } = lowerProgram(program, values)
      expect(boundPlan(plan, values, EXACT)).toEqual(reduceCircuit(ops, qubits, clbits))
    }
  }
})

test('another noise model and other observables have a plan of their own', () => {
  const program = parseProgram(LOOP)
  const modelOf = (p: number) =>
    defineNoiseModel({
      source: 'test',
      gateNoiseOf: (_, [qubit = 0]) => onQubit(qubit, [depolarizing(p, 1)]),
      readoutErrorOf: () => [0, 0],
    })
  const [noise, other] = [modelOf(0.1), modelOf(0.2)]
  const plan = plannedProgram(program, { ...EXACT, noise })
  if (!plan) throw new Error('no plan')
  expect(plannedProgram(program, { ...EXACT, noise: other })).not.toBe(plan)
  expect(plannedProgram(program, { ...EXACT, noise })).toBe(plan)
  const { ops = [], qubits, clbits } = lowerProgram(program, [1, 2])
  expect(boundPlan(plan, [1, 2], { ...EXACT, noise })).toEqual(
    reduceCircuit(withNoise(ops, noise), qubits, clbits),
  )
  const observables = [[{ coefficient: 1, letters: [{ qubit: 3, letter: 'X' as const }] }]]
  expect(plannedProgram(program, { ...EXACT, observables })?.reduced.qubits).toEqual([0, 1, 3])
})

test('a program that inputs or outcomes change has no plan', () => {
  const program = parseProgram('OPENQASM 3.0; input int n; qubit[2] q; bit c; reset q[n]; c = measure q[0];')
  for (let round = 0; round < 2; round++) expect(plannedProgram(program, EXACT)).toBeUndefined()
})
