import { expect, test } from 'bun:test'
import { CircuitResult } from '../../../clients/js/src/result.ts'

const header = { name: 'c', n_qubits: 1, memory_slots: 1, creg_sizes: [], qreg_sizes: [], metadata: {} }
const circuitOf = (more: object) => new CircuitResult({ shots: 100, header, metadata: {}, ...more })

test('discarded shots are in no probability, expectation value or memory', () => {
  const memory = Buffer.from([1, 0, ...new Array<number>(78).fill(0)]).toString('base64')
  const circuit = circuitOf({ counts: { '0': 60, '1': 20 }, discarded_shots: 20, memory })
  expect([circuit.shots, circuit.discardedShots, circuit.keptShots]).toEqual([100, 20, 80])
  expect(circuit.probabilities()).toEqual({ '0': 0.75, '1': 0.25 })
  expect(circuit.expectation('Z')).toEqual({ value: 0.5, error: Math.sqrt(0.75 / 80) })
  expect(() => circuit.expectation('ZZZ')).toThrow('"ZZZ" has more characters than the 1 bits')
  expect(circuit.memory).toHaveLength(80)
  expect(() => circuitOf({ counts: {}, discarded_shots: 100 }).expectation('Z')).toThrow(
    'The device discarded all shots',
  )
})

test('counts that results omit are counted in the packed memory', () => {
  const memory = Buffer.from([1, 1, 0, 2, 1, 1]).toString('base64')
  const raw = { shots: 4, discarded_shots: 1, memory, counts_omitted: true }
  const circuit = circuitOf({ ...raw, header: { ...header, memory_slots: 9 } })
  expect(circuit.counts).toEqual({ '100000001': 2, '000000010': 1 })
  expect(circuit.probabilities()).toEqual({ '100000001': 2 / 3, '000000010': 1 / 3 })
})

test('exact values are read in place of counts', () => {
  const probabilities = { '0': 0.25, '1': 0.75 }
  const circuit = circuitOf({ shots: 0, probabilities })
  expect([circuit.probabilities(), circuit.counts]).toEqual([probabilities, {}])
  const observed = circuitOf({ shots: 0, expectation_values: [0.5, -1] })
  expect(observed.expectationValues).toEqual([0.5, -1])
  expect(() => observed.expectation('Z')).toThrow(
    'The result has the means of observables (expectationValues) in place of outcomes',
  )
  expect(() => circuitOf({ memory: [[[0.1, 0.2]]] }).marginal([0])).toThrow(
    'The result has signals in place of outcomes',
  )
  const two = { ...header, memory_slots: 2 }
  const exact = circuitOf({ shots: 0, header: two, probabilities: { '00': 0.25, '11': 0.75 } })
  expect(exact.marginal([1])).toEqual({ 0: 0.25, 1: 0.75 })
  expect(exact.expectation('IZ')).toEqual({ value: -0.5, error: 0 })
})
