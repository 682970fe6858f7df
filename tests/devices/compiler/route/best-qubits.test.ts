import { describe, expect, test } from 'bun:test'
import { decompose } from '../../../../src/devices/compiler/decompose/decompose.ts'
import { toNative } from '../../../../src/devices/compiler/decompose/native.ts'
import type { Step } from '../../../../src/devices/compiler/decompose/step.ts'
import { type OptimizationLevel, place } from '../../../../src/devices/compiler/levels.ts'
import { costOf } from '../../../../src/devices/compiler/route/best-qubits.ts'
import { type Coupling, pairKey } from '../../../../src/devices/compiler/route/coupling.ts'
import { createRng } from '../../../../src/simulator/index.ts'
import { COUPLINGS, line } from '../support/couplings.ts'
import { outcomeProbabilities, totalVariation } from '../support/exact.ts'
import { randomCircuit } from '../support/random-circuit.ts'

const NONE = new Map<number, number>()
const cz = (...qubits: [number, number]): Step => ({ kind: 'cz', qubits })
const measure = (qubit: number): Step => ({ kind: 'measure', qubit, clbit: qubit })
const PAIR = [cz(0, 1), measure(0), measure(1)]

/** A chip with the errors of some couplings. */
function withErrors(coupling: Coupling, ...errors: [one: number, other: number, error: number][]): Coupling {
  return { ...coupling, errors: new Map(errors.map(([one, other, error]) => [pairKey(one, other), error])) }
}

const placedOn = (coupling: Coupling, steps: readonly Step[] = PAIR, fixed = NONE) => {
  const { initial, method, steps: placed } = place({ steps, qubits: 2, fixed, coupling }, 0)
  return {
    initial: [...initial],
    method,
    cz: placed.flatMap((step) => (step.kind === 'cz' ? [step.qubits] : [])),
  }
}

describe('a circuit is placed on the couplings with the smallest measured errors', () => {
  test('and keeps its qubits where no error is known', () => {
    expect(placedOn(line(4))).toEqual({ initial: [0, 1], method: 'none', cz: [[0, 1]] })
    expect(placedOn(withErrors(line(4)))).toMatchObject({ initial: [0, 1], method: 'none' })
  })

  test('with its measurements', () => {
    const chip = withErrors(line(4), [0, 1, 0.05], [1, 2, 0.02], [2, 3, 0.004])
    const { initial, method, cz: pairs } = placedOn(chip)
    expect([method, initial.toSorted(), pairs.map((pair) => pair.toSorted())]).toEqual([
      'placement',
      [2, 3],
      [[2, 3]],
    ])
  })

  test('where an unknown error counts as the worst known one', () => {
    expect(placedOn(withErrors(line(4), [1, 2, 0.05])).method).toBe('none')
    expect(placedOn(withErrors(line(4), [1, 2, 0.05], [2, 3, 0.01])).initial.toSorted()).toEqual([2, 3])
  })

  test('but not where it may not be, and not if its qubits are physical', () => {
    const chip = withErrors(line(4), [0, 1, 0.05], [1, 2, 0.02], [2, 3, 0.004])
    const edges = chip.edges.filter((pair) => !pair.includes(3))
    expect(placedOn({ ...chip, edges, usable: new Set([0, 1, 2]) }).initial.toSorted()).toEqual([1, 2])
    const fixed = new Map([
      [0, 0],
      [1, 1],
    ])
    expect(placedOn(chip, PAIR, fixed).initial).toEqual([0, 1])
  })
})

test('the outcomes stay the same, and the cost never grows', () => {
  const rng = createRng(5)
  for (const [at, coupling] of Object.values(COUPLINGS).entries()) {
    const chip = withErrors(
      coupling,
      ...coupling.edges.map(([one, other]): [number, number, number] => [
        one,
        other,
        0.002 + 0.03 * rng.next(),
      ]),
    )
    const levels: readonly OptimizationLevel[] = at === 0 ? [0, 1] : [0]
    for (const level of levels) {
      const { qubits, ops } = randomCircuit(2000 + at, 3 + (at % 2), 2)
      const request = { steps: decompose(ops), qubits, fixed: NONE }
      const without = place({ ...request, coupling }, level)
      const { steps, initial, final } = place({ ...request, coupling: chip }, level)
      expect(costOf(steps, chip)).toBeLessThanOrEqual(costOf(without.steps, chip) + 1e-12)
      const coupled = new Set(coupling.edges.map((pair) => pairKey(...pair)))
      for (const step of steps) if (step.kind === 'cz') expect(coupled).toContain(pairKey(...step.qubits))
      for (const places of [initial, final]) {
        const used = [...places].filter((each) => each >= 0)
        expect(new Set(used).size).toBe(used.length)
      }
      const variation = totalVariation(outcomeProbabilities(ops), outcomeProbabilities(toNative(steps)))
      expect(variation).toBeLessThanOrEqual(1e-9)
    }
  }
})
