import { expect, test } from 'bun:test'
import type { KernelCall } from '../../../src/simulator/kernel/kernel-call.ts'
import { Statevector } from '../../../src/simulator/methods/statevector/state/statevector.ts'
import { createRng } from '../../../src/simulator/numeric/random.ts'
import { UNLIMITED } from '../../../src/simulator/timing/time-budget.ts'
import { engine } from '../support/run.ts'

type Many = Extract<KernelCall, { kind: 'many' }>

const QUBITS = 7
/** Largest error of an amplitude by precision. */
const TOLERANCES = [
  ['double', 1e-13],
  ['single', 1e-5],
] as const
const rng = createRng(11)
const numbers = (length: number) => Float64Array.from({ length }, () => 2 * rng.next() - 1)

/** A real matrix with `each` entries that are not zero in each row, and its last row zero. */
function sparse(dimension: number, each: number): Float64Array {
  const matrix = new Float64Array(2 * dimension * dimension)
  for (let row = 0; row < dimension - 1; row++)
    for (let entry = 0; entry < each; entry++)
      matrix[2 * (row * dimension + ((row + 5 * entry) % dimension))] = 2 * rng.next() - 1
  return matrix
}

/** The amplitudes after a call, by its definition. */
function expected(before: Float64Array, { targets, controls, value, matrix }: Many): Float64Array {
  const after = before.slice()
  const dimension = 2 ** targets.length
  const mask = targets.reduce((bits, bit) => bits | bit, 0)
  const bitsOf = (row: number) =>
    targets.reduce((bits, bit, place) => bits | ((row >> place) & 1 ? bit : 0), 0)
  for (let index = 0; index < before.length / 2; index++) {
    if ((index & controls) !== value) continue
    const row = Array.from({ length: dimension }, (_, each) => bitsOf(each)).indexOf(index & mask)
    after[2 * index] = 0
    after[2 * index + 1] = 0
    for (let column = 0; column < dimension; column++) {
      const from = 2 * ((index & ~mask) | bitsOf(column))
      const [a = 0, b = 0] = matrix.subarray(2 * (row * dimension + column))
      const [c = 0, d = 0] = before.subarray(from)
      after[2 * index] = (after[2 * index] as number) + a * c - b * d
      after[2 * index + 1] = (after[2 * index + 1] as number) + a * d + b * c
    }
  }
  return after
}

const PLACES = [
  { targets: [1, 2], controls: 0, value: 0 },
  { targets: [64, 1], controls: 0, value: 0 },
  { targets: [8, 4], controls: 1 | 32, value: 32 },
  { targets: [4, 1, 32], controls: 0, value: 0 },
  { targets: [16, 2, 64, 8], controls: 4, value: 4 },
]

for (const { targets, controls, value } of PLACES) {
  const dimension = 2 ** targets.length
  const matrices = {
    dense: numbers(2 * dimension * dimension),
    'with one entry per row': sparse(dimension, 1),
    'with two entries per row': sparse(dimension, 2),
    'with four entries per row': sparse(dimension, 4),
  }
  for (const [name, matrix] of Object.entries(matrices)) {
    test(`a matrix ${name} acts on the bits ${targets} where ${controls} are ${value}`, () => {
      const before = numbers(2 ** (QUBITS + 1))
      const call: Many = { kind: 'many', targets, controls, value, matrix }
      const after = expected(before, call)
      for (const [precision, tolerance] of TOLERANCES) {
        const state = new Statevector(engine, QUBITS, UNLIMITED, precision)
        state.load(before)
        state.apply(call)
        const difference = after.map((part, at) => Math.abs(part - (state.amplitudes[at] as number)))
        expect(Math.max(...difference)).toBeLessThan(tolerance)
      }
    })
  }
}
