import { describe, expect, test } from 'bun:test'
import type { PhaseOp, UnitaryOp } from '../../../../../src/qasm/index.ts'
import { cxToCz } from '../../../../../src/simulator/methods/statevector/gates/cx-to-cz.ts'
import { mergeSingleQubitGates } from '../../../../../src/simulator/methods/statevector/gates/merge-single-qubit-gates.ts'
import { createRng } from '../../../../../src/simulator/numeric/random.ts'
import { h, phase, randomUnitary, ry, unitary, x } from '../../../support/ops.ts'
import { applyOp, zeroState } from '../../../support/reference.ts'

const QUBITS = 4
const namesOf = (ops: readonly (UnitaryOp | PhaseOp)[]) => cxToCz(ops).map((op) => 'name' in op && op.name)

describe('cxToCz()', () => {
  test('converts a controlled X between gates on its target', () => {
    expect(namesOf([ry(1, 0), x(0, 1), ry(2, 0)])).toEqual(['test', 'h', 'cz', 'h', 'test'])
    expect(mergeSingleQubitGates(cxToCz([ry(1, 0), x(0, 1), ry(2, 0)]))).toHaveLength(3)
  })

  test('converts consecutive controlled X with one target as one', () => {
    const names = namesOf([ry(1, 0), x(0, 1), x(0, 2), ry(2, 0)])
    expect(names.filter((name) => name === 'cz')).toHaveLength(2)
  })

  test('leaves a controlled X where a Hadamard gate would need a separate pass', () => {
    const untouched = [
      [x(0, 1), ry(1, 0)],
      [ry(1, 0), x(0, 1)],
      [ry(1, 0), x(0, 1), x(1, 0), ry(1, 0)],
      [ry(1, 0), phase(1, [0, 2]), x(0, 1), ry(1, 0)],
    ]
    for (const ops of untouched) expect(cxToCz(ops)).toEqual(ops)
  })

  test('leaves a controlled X with more controls, or on the value 0', () => {
    const flip = x(0, 1)
    const others = [
      { ...flip, controlValues: 0 },
      { ...flip, controls: [1, 2], controlValues: 3 },
    ]
    for (const other of others) expect(cxToCz([h(0), other, h(0)])).toEqual([h(0), other, h(0)])
  })

  test('does not change the action of a circuit', () => {
    const rng = createRng(5)
    const pick = (most: number) => Math.floor(rng.next() * most)
    for (let round = 0; round < 50; round++) {
      const ops = Array.from({ length: 40 }, () => {
        const [a, b] = [pick(QUBITS), 1 + pick(QUBITS - 1)]
        const kinds = [
          () => unitary(randomUnitary(1, rng.next), [a]),
          () => phase(6 * rng.next(), [a]),
          () => phase(6 * rng.next(), [a, (a + b) % QUBITS]),
          () => x(a, (a + b) % QUBITS),
          () => x(a, (a + b) % QUBITS),
        ]
        return kinds[pick(kinds.length)]?.() ?? h(a)
      })
      const turned = cxToCz(ops) as typeof ops
      const [before, after] = [ops, turned].map((each) => each.reduce(applyOp, zeroState(QUBITS)))
      before?.forEach(([re, im], index) => {
        expect(after?.[index]?.[0]).toBeCloseTo(re, 12)
        expect(after?.[index]?.[1]).toBeCloseTo(im, 12)
      })
      if (round === 0) expect(turned.length).toBeGreaterThan(ops.length)
    }
  })
})
