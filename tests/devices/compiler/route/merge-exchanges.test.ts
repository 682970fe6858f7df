import { expect, test } from 'bun:test'
import { HADAMARD, ry } from '../../../../src/devices/compiler/decompose/matrix.ts'
import { toNative } from '../../../../src/devices/compiler/decompose/native.ts'
import type { CzStep, Step } from '../../../../src/devices/compiler/decompose/step.ts'
import { mergeExchanges } from '../../../../src/devices/compiler/route/merge-exchanges.ts'
import { distance, unitaryOf } from '../support/unitary.ts'

const cz = (...qubits: [number, number]): CzStep => ({ kind: 'cz', qubits })
const turn = (qubit: number, angle: number): Step => ({ kind: 'local', qubit, matrix: ry(angle) })

/** An exchange as the router writes it. */
function exchange(one: number, other: number): Step[] {
  return [one, other, one].flatMap((target): Step[] => {
    const hadamard: Step = { kind: 'local', qubit: target, matrix: HADAMARD }
    return [hadamard, cz(one, other), hadamard]
  })
}

/** The steps with their marked exchanges merged, the unitary checked. */
function merged(steps: readonly Step[], marked: readonly Step[]): Step[] {
  const result = mergeExchanges(steps, new Set(marked.filter((step) => step.kind === 'cz')))
  expect(distance(unitaryOf(3, toNative(result)), unitaryOf(3, toNative(steps)))).toBeLessThan(1e-12)
  return result
}

const countOf = (steps: readonly Step[]) => steps.filter(({ kind }) => kind === 'cz').length

test.each([
  ['a CZ before', [cz(0, 1)], [], 2],
  ['a CZ after, of the qubits in the other order', [], [cz(1, 0)], 2],
  ['a CZ on either side', [cz(0, 1)], [cz(0, 1)], 3],
  ['a controlled rotation', [cz(0, 1), turn(1, 0.3), cz(0, 1)], [], 3],
  ['rotations that do not matter', [cz(0, 1), turn(0, 0.7), turn(1, 0.2)], [turn(1, 1.1)], 2],
  ['nothing', [turn(0, 1)], [], 3],
  ['a CZ of one of its qubits with a third', [cz(1, 2)], [cz(0, 2)], 5],
] as const)('an exchange with %s', (_, before, after, czs) => {
  const swap = exchange(0, 1)
  expect(countOf(merged([...before, ...swap, ...after], swap))).toBe(czs)
})

test('gates that somebody repeats, and those behind a barrier or a measurement, stay', () => {
  const folded = [cz(0, 1), turn(1, 0.4), cz(0, 1), cz(0, 1), cz(0, 1)]
  expect(merged(folded, [])).toEqual(folded)
  const swap = exchange(0, 1)
  const parted: Step[] = [cz(0, 1), { kind: 'barrier', qubits: [0, 1] }, ...swap]
  expect(merged(parted, swap)).toEqual(parted)
  const measured: Step[] = [cz(0, 1), { kind: 'measure', qubit: 1, clbit: 0 }, ...swap]
  expect(merged(measured, swap)).toEqual(measured)
})
