import { expect, test } from 'bun:test'
import type { Op } from '../../../../src/qasm/index.ts'
import { Algebra } from '../../../../src/simulator/methods/matrix_product_state/algebra.ts'
import { WindowBonds } from '../../../../src/simulator/methods/matrix_product_state/outlook/window-bonds.ts'
import type { StateOp } from '../../../../src/simulator/reduction/reduce-circuit.ts'
import { measure, ry, swap, x } from '../../support/ops.ts'
import { engine } from '../../support/run.ts'

const QUBITS = 24
const settings = {
  truncation: { maxBondDimension: 64, threshold: 1e-16 },
  algebra: new Algebra(engine),
  meeting: 'right' as const,
}

/** Layers of rotations and CX of neighbors; with `sign` -1, the inverse. */
function layers(count: number, sign: 1 | -1 = 1): StateOp[] {
  const ops = Array.from({ length: count }, (_, layer) => [
    ...Array.from({ length: QUBITS }, (__, qubit) =>
      ry(sign * (0.3 + ((qubit * 7 + layer * 5) % 11) / 4), qubit),
    ),
    ...Array.from({ length: (QUBITS - (layer % 2)) >> 1 }, (__, pair) =>
      x(2 * pair + (layer % 2), 2 * pair + (layer % 2) === QUBITS - 1 ? 0 : 2 * pair + (layer % 2) + 1),
    ),
  ]).flat()
  return (sign === 1 ? ops : ops.reverse()) as StateOp[]
}

const after = (ops: readonly (Op | StateOp)[], step: number) =>
  new WindowBonds(ops as readonly StateOp[], settings).mayShrinkAfter(step)

test('bonds of layers that go on do not shrink', () => {
  expect(after(layers(16), 400)).toBe(false)
})

test('a circuit followed by its inverse shrinks, from any step on', () => {
  const ops = [...layers(10), ...layers(10, -1)]
  for (const step of [0, 200, 340, 500]) expect(after(ops, step)).toBe(true)
})

test('swaps move the windows along, written as one gate or as three CX', () => {
  const order = Array.from({ length: QUBITS - 1 }, (_, qubit) => [qubit, (qubit * 5 + 7) % QUBITS] as const)
  const pairs = order.filter(([one, other]) => one !== other)
  const asCx = pairs.flatMap(([one, other]) => [x(one, other), x(other, one), x(one, other)])
  const asSwap = pairs.map(([one, other]) => swap(one, other))
  for (const swaps of [asCx, asSwap]) {
    const ops = [...layers(8), ...swaps, ...swaps.toReversed(), ...layers(8, -1)]
    expect(after(ops, 250)).toBe(true)
    expect(after([...layers(16), ...swaps], 400)).toBe(false)
  }
})

test('a later measurement may shrink all bonds', () => {
  const ops = [...layers(16), measure(0, 0), ...layers(2)]
  expect(after(ops, 400)).toBe(true)
  expect(after(ops, ops.length - 2)).toBe(false)
})

test('windows without entanglement say nothing', () => {
  expect(after([ry(0.3, 0), ry(0.2, 1)], 0)).toBe(true)
})
