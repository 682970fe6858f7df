import { expect, test } from 'bun:test'
import { linesOfBits } from '../../../src/devices/scheduler/outcomes.ts'

/** Probability of each outcome (columns) of three qubits: each alone is read as 1 from 0 in this share. */
const SHARES = [0.1, 0.2, 0.3]
const of = (state: number, outcome: number) =>
  SHARES.reduce((product, share, at) => {
    const [was, read] = [(state >> at) & 1, (outcome >> at) & 1]
    return product * (was === 1 ? read : read === 1 ? share : 1 - share)
  }, 1)
const EIGHT = Array.from({ length: 8 }, (_, at) => at)
const line = {
  qubits: ['q0', 'q1', 'q2'],
  matrix: EIGHT.map((state) => EIGHT.map((outcome) => of(state, outcome))),
}

/** Bits that read these qubits, the first bit first. */
function read(qubits: string[]) {
  const readings = qubits.map((qubit, clbit) => ({ qubit, clbit }))
  return linesOfBits({ held: qubits.map((_, at) => at) } as never, readings as never, [line])
}

test('a line belongs to the bits of its measured qubits, whatever their order', () => {
  expect(read(['q0', 'q1', 'q2'])).toEqual([{ bits: [0, 1, 2], assignment: line.matrix }])
  const [found] = read(['q2', 'q7', 'q0'])
  expect(found?.bits).toEqual([2, 0])
  // The lowest bit is q0, the other one q2; q1 is in 0 and its outcome does not matter.
  const expected = [
    [0.9 * 0.7, 0.1 * 0.7, 0.9 * 0.3, 0.1 * 0.3],
    [0, 0.7, 0, 0.3],
    [0, 0, 0.9, 0.1],
    [0, 0, 0, 1],
  ]
  for (const [state, row] of expected.entries())
    for (const [outcome, share] of row.entries())
      expect(found?.assignment[state]?.[outcome]).toBeCloseTo(share, 10)
  expect(read(['q1'])).toEqual([])
  expect(read(['q7', 'q8'])).toEqual([])
})
