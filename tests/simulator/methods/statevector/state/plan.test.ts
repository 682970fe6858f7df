import { describe, expect, test } from 'bun:test'
import type { Op } from '../../../../../src/qasm/index.ts'
import type { KernelCall } from '../../../../../src/simulator/kernel/kernel-call.ts'
import { splitRotation } from '../../../../../src/simulator/methods/statevector/gates/split-rotation.ts'
import { type Plan, planCircuit } from '../../../../../src/simulator/methods/statevector/state/plan.ts'
import { createRng } from '../../../../../src/simulator/numeric/random.ts'
import { reduceCircuit } from '../../../../../src/simulator/reduction/reduce-circuit.ts'
import {
  h,
  MATRICES,
  measure,
  measureAll,
  phase,
  randomStep,
  randomUnitary,
  ry,
  swap,
  unitary,
  x,
} from '../../../support/ops.ts'
import { distributionOf } from '../../../support/reference.ts'
import { chiSquare, chiSquareLimit, runOps } from '../../../support/run.ts'

function planned(ops: readonly Op[], qubits: number, clbits = qubits): Plan {
  return planCircuit(reduceCircuit(ops, qubits, clbits))
}

const kindsOf = ({ steps }: Plan) =>
  steps.flatMap((step) => (step.kind === 'gates' ? step.calls.map(({ kind }) => kind) : [step.kind]))

describe('planCircuit()', () => {
  test('merges runs of gates on one qubit, across gates on others', () => {
    const ops = [h(0), phase(0.3, [0]), h(1), h(0), ry(0.2, 1), x(0, 1), ry(0.4, 0), h(0), h(2), measure(0)]
    expect(kindsOf(planned(ops, 3, 1))).toEqual(['one', 'one', 'flip', 'one'])
  })

  test('does not merge gates across a measurement', () => {
    expect(kindsOf(planned([h(0), measure(0, 0), h(0), measure(0, 1)], 1, 2))).toEqual([
      'one',
      'measure',
      'one',
    ])
  })

  test('merges gates on one qubit into a following dense gate on two qubits', async () => {
    const rng = createRng(4)
    const wide = unitary(randomUnitary(2, rng.next), [1, 0])
    const ops = [h(0), ry(0.4, 1), wide, h(0), ...measureAll(2)]
    expect(kindsOf(planned(ops, 2))).toEqual(['many', 'one'])
    const { counts } = await runOps(ops, 2, { shots: 20_000 })
    const { value, freedom } = chiSquare(counts ?? {}, distributionOf(ops, 2, 2))
    expect(value).toBeLessThan(chiSquareLimit(freedom))
  })

  test('executes a swap by exchanging bits', async () => {
    const ops = [ry(0.5, 0), ry(1.9, 1), swap(0, 1), x(2, 1), swap(1, 2), ...measureAll(3)]
    expect(kindsOf(planned(ops, 3))).toEqual(['one', 'one', 'flip'])
    const { counts } = await runOps(ops, 3, { shots: 20_000 })
    const { value, freedom } = chiSquare(counts ?? {}, distributionOf(ops, 3, 3))
    expect(value).toBeLessThan(chiSquareLimit(freedom))
  })

  test('leaves out the global phase', () => {
    expect(kindsOf(planned([h(0), phase(0.4, []), measure(0)], 1))).toEqual(['one'])
  })
})

test('a circuit wide enough for split rotations is sampled as computed by plain complex arithmetic', async () => {
  const rng = createRng(8)
  const steps = Array.from({ length: 40 }, () => randomStep(4, 4, rng.next)).filter(
    ({ kind }) => kind === 'unitary' || kind === 'phase',
  )
  const wide = Array.from({ length: 12 }, (_, q) => x(q, q % 4)).slice(4)
  const dense = [0, 1, 2, 3].map((q) => unitary(randomUnitary(1, rng.next), [q]))
  const ops = [...dense, ...steps, ...dense, x(1, 0), ...dense, ...wide, ...measureAll(12)]
  expect(planned(ops, 12).qubits).toBe(12)
  const { counts } = await runOps(ops, 12, { shots: 20_000 })
  const { value, freedom } = chiSquare(counts ?? {}, distributionOf(ops, 12, 12))
  expect(freedom).toBeGreaterThan(5)
  expect(value).toBeLessThan(chiSquareLimit(freedom))
})

describe('splitRotation()', () => {
  type One = Extract<KernelCall, { kind: 'one' }>
  const call = (matrix: Float64Array): One => ({ kind: 'one', target: 1, controls: 0, value: 0, matrix })

  /** The product of the parts as a matrix of complex entries. */
  function productOf(parts: KernelCall[]): [number, number][] {
    let entries: [number, number][] = [
      [1, 0],
      [0, 0],
      [0, 0],
      [1, 0],
    ]
    for (const part of parts) {
      const [ar, ai, br, bi, cr, ci, dr, di] =
        part.kind === 'one' ? part.matrix : part.kind === 'scale' ? [1, 0, 0, 0, 0, 0, part.re, part.im] : []
      const rows = [
        [ar, ai, br, bi],
        [cr, ci, dr, di],
      ]
      entries = rows.flatMap(([pr = 0, pi = 0, qr = 0, qi = 0]) =>
        [0, 1].map((column): [number, number] => {
          const [a = 0, b = 0] = entries[column] ?? []
          const [c = 0, d = 0] = entries[2 + column] ?? []
          return [pr * a - pi * b + qr * c - qi * d, pr * b + pi * a + qr * d + qi * c]
        }),
      )
    }
    return entries
  }

  test('returns phase, real rotation, phase, whose product is the gate up to a global phase', () => {
    const rng = createRng(2)
    const matrices = [MATRICES.y, ...Array.from({ length: 50 }, () => randomUnitary(1, rng.next))]
    for (const matrix of matrices) {
      const parts = splitRotation(call(matrix))
      expect(
        parts.every((part) => part.kind === 'scale' || (part.kind === 'one' && part.matrix[1] === 0)),
      ).toBe(true)
      const found = productOf(parts)
      // |tr(A†B)| = 2 exactly when the two differ by a phase.
      const [re, im] = found.reduce(
        ([sumRe, sumIm], [a, b], i) => {
          const [c = 0, d = 0] = matrix.subarray(2 * i, 2 * i + 2)
          return [sumRe + a * c + b * d, sumIm + a * d - b * c]
        },
        [0, 0],
      )
      expect(Math.hypot(re, im)).toBeCloseTo(2, 10)
    }
  })

  test('returns real, controlled and non-unitary gates unchanged', () => {
    const damping = Float64Array.of(1, 0, 0, 0.3, 0, 0, 0.5, 0)
    const controlled = { ...call(MATRICES.y), controls: 2, value: 2 }
    for (const each of [call(MATRICES.h), call(damping), controlled])
      expect(splitRotation(each)).toEqual([each])
  })
})
