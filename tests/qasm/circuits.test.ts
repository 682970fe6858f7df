import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkProgram, lowerProgram, parseProgram } from '../../src/qasm/index.ts'
import { columnOf, lower } from './support.ts'

const folder = join(import.meta.dir, '../circuits')
const files = readdirSync(folder).filter((file) => file.endsWith('.qasm'))

/** Qubits, bits and top-level operations after expansion; undefined for programs with feedback. */
const expected: Record<string, [number, number, number | undefined]> = {
  'adder_n10.qasm': [10, 5, 35],
  'adder_n10_transpiled.qasm': [10, 5, 171],
  'bell_n4.qasm': [4, 4, 37],
  'bv_n14.qasm': [14, 13, 56],
  'cat_state_n22.qasm': [22, 44, 45],
  'cc_n12.qasm': [12, 12, undefined],
  'inverseqft_n4.qasm': [4, 4, undefined],
  'ipea_n2.qasm': [2, 4, undefined],
  'knn_n25.qasm': [25, 1, 39],
  'qec_sm_n5.qasm': [5, 5, undefined],
  'qft_n18.qasm': [18, 36, 802],
  'sat_n7.qasm': [7, 2, 42],
  'shor_n5.qasm': [5, 5, undefined],
  'wstate_n27.qasm': [27, 54, 133],
}

describe('published OpenQASM 2 circuits', () => {
  test('the folder holds all 35', () => {
    expect(files).toHaveLength(35)
  })

  for (const file of files) {
    test(`${file} is accepted and lowered`, () => {
      const text = readFileSync(join(folder, file), 'utf8')
      expect(checkProgram(text).problems).toEqual([])
      const circuit = lowerProgram(parseProgram(text), [])
      expect(circuit.qubits).toBe(Number(/_n(\d+)/.exec(file)?.[1]))
      expect(circuit.qregs.reduce((sum, [, size]) => sum + size, 0)).toBe(circuit.qubits)
      expect(circuit.cregs.reduce((sum, [, size]) => sum + size, 0)).toBe(circuit.clbits)
      expect(circuit.ops === undefined).toBe(circuit.dynamic)
      const known = expected[file]
      if (known !== undefined) expect([circuit.qubits, circuit.clbits, circuit.ops?.length]).toEqual(known)
    })
  }
})

/** Probability of each result of a circuit that measures at the end, the highest bit on the left. */
function distributionOf(file: string): Record<string, number> {
  const { ops = [], qubits, clbits } = lower(readFileSync(join(folder, file), 'utf8'))
  const gates = ops.filter(({ kind }) => kind === 'unitary' || kind === 'phase')
  const measured = ops.flatMap((op) => (op.kind === 'measure' && op.clbit >= 0 ? [op] : []))
  const result: Record<string, number> = {}
  for (const [index, { re, im }] of columnOf(gates, qubits, 0).entries()) {
    const bits: string[] = new Array(clbits).fill('0')
    for (const { qubit, clbit } of measured) bits[clbits - 1 - clbit] = String((index >> qubit) & 1)
    const key = bits.join('')
    result[key] = (result[key] ?? 0) + re * re + im * im
  }
  return Object.fromEntries(Object.entries(result).filter(([, probability]) => probability > 1e-9))
}

// The files contain their angles with few digits.
describe('results that are known exactly', () => {
  const third = 1 / 3
  const known: [string, Record<string, number>][] = [
    ['grover_n2.qasm', { '11': 1 }],
    ['adder_n4.qasm', { '1001': 1 }],
    ['fredkin_n3.qasm', { '101': 1 }],
    ['iswap_n2.qasm', { '10': 1 }],
    ['wstate_n3.qasm', { '001': third, '010': third, '100': third }],
    ['sat_n7.qasm', { '11': 13 / 16, '00': 1 / 16, '01': 1 / 16, '10': 1 / 16 }],
  ]
  for (const [file, probabilities] of known) {
    test(`${file} has its known result`, () => {
      const found = distributionOf(file)
      expect(Object.keys(found).toSorted()).toEqual(Object.keys(probabilities).toSorted())
      for (const [key, probability] of Object.entries(probabilities))
        expect(found[key]).toBeCloseTo(probability, 3)
    })
  }
})
