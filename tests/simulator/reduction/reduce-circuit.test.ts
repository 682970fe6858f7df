import { expect, test } from 'bun:test'
import { createRng } from '../../../src/simulator/numeric/random.ts'
import { reduceCircuit } from '../../../src/simulator/reduction/reduce-circuit.ts'
import { h, measure, randomStep, reset, x, z } from '../support/ops.ts'
import { distributionOf } from '../support/reference.ts'

test('reduceCircuit() keeps the outcome distribution of random circuits with measurements and resets anywhere', () => {
  const rng = createRng(5)
  for (let round = 0; round < 150; round++) {
    const [qubits, clbits] = [2 + (round % 3), 3]
    const all = Array.from({ length: 14 }, () => randomStep(qubits, clbits, rng.next))
    const { ops, terminal } = reduceCircuit(all, qubits, clbits)
    const exact = ops.filter((op) => op.kind !== 'channel')
    const reduced = [...exact, ...terminal.map(({ qubit, clbit }) => measure(qubit, clbit))]
    const expected = distributionOf(all, qubits, clbits)
    for (const [key, probability] of distributionOf(reduced, qubits, clbits)) {
      expect(Math.abs(probability - (expected.get(key) ?? 0))).toBeLessThan(1e-10)
    }
  }
})

test('reduceCircuit() moves a measurement past controls and phases to the end', () => {
  const reduced = reduceCircuit([h(0), measure(0, 0), x(1, 0), z(0), measure(1, 1)], 2, 2)
  expect(reduced.canBranch).toBe(false)
  expect(reduced.terminal.length).toBe(2)
  expect(reduced.ops.length).toBe(2)
})

test('reduceCircuit() keeps a measurement before a gate that disturbs it', () => {
  expect(reduceCircuit([h(0), measure(0, 0), h(0), measure(0, 1)], 1, 2).canBranch).toBe(true)
})

test('reduceCircuit() drops qubits on which no outcome depends', () => {
  const reduced = reduceCircuit([h(5), h(90), x(6, 5), measure(5, 0), reset(5), h(7)], 100, 1)
  expect(reduced.qubits).toEqual([5])
  expect(reduced.ops.length).toBe(1)
  expect(reduced.terminal).toEqual([{ qubit: 5, clbit: 0 }])
})

test('reduceCircuit() drops resets at the start', () => {
  const reduced = reduceCircuit([reset(0), h(0), measure(0)], 1, 1)
  expect(reduced.canBranch).toBe(false)
})

test('reduceCircuit() reads an untouched qubit as 0', () => {
  expect(reduceCircuit([measure(3, 0)], 4, 1)).toEqual({
    qubits: [],
    ops: [],
    terminal: [{ qubit: 3, clbit: 0 }],
    canBranch: false,
  })
})
