import { describe, expect, test } from 'bun:test'
import { decompose } from '../../../../src/devices/compiler/decompose/decompose.ts'
import { toNative } from '../../../../src/devices/compiler/decompose/native.ts'
import type { Step } from '../../../../src/devices/compiler/decompose/step.ts'
import { place } from '../../../../src/devices/compiler/levels.ts'
import type { Coupling } from '../../../../src/devices/compiler/route/coupling.ts'
import { COUPLINGS, type CouplingName, line } from '../support/couplings.ts'
import { outcomeProbabilities, totalVariation } from '../support/exact.ts'
import { randomCircuit } from '../support/random-circuit.ts'

const NONE = new Map<number, number>()
const cz = (...qubits: [number, number]): Step => ({ kind: 'cz', qubits })
const measure = (qubit: number, clbit = qubit): Step => ({ kind: 'measure', qubit, clbit })

function routePairs(coupling: Coupling, pairs: readonly [number, number][], fixed = NONE) {
  const steps = pairs.map((pair) => cz(...pair))
  const qubits = Math.max(...pairs.flat()) + 1
  return place({ steps, qubits, fixed, coupling }, 0)
}

function assertCoupled(steps: readonly Step[], { edges }: Coupling): void {
  const coupled = new Set(edges.flatMap(([one, other]) => [`${one} ${other}`, `${other} ${one}`]))
  for (const step of steps) if (step.kind === 'cz') expect(coupled).toContain(step.qubits.join(' '))
}

describe('route() keeps the probabilities of all outcomes', () => {
  for (const [name, coupling] of Object.entries(COUPLINGS) as [CouplingName, Coupling][]) {
    test(`on a ${name}`, () => {
      for (let seed = 1000; seed < 1005; seed++) {
        const { qubits, ops } = randomCircuit(seed, 3 + 2 * (seed % 5), 3)
        const { steps } = place({ steps: decompose(ops), qubits, fixed: NONE, coupling }, 0)
        assertCoupled(steps, coupling)
        const variation = totalVariation(outcomeProbabilities(ops), outcomeProbabilities(toNative(steps)))
        expect(variation).toBeLessThanOrEqual(1e-9)
      }
    })
  }
})

describe('route()', () => {
  test('keeps the qubits of a circuit whose pairs are all coupled', () => {
    const { method, swaps, initial, steps } = routePairs(line(4), [
      [2, 1],
      [2, 3],
    ])
    expect({ method, swaps, initial: [...initial] }).toEqual({
      method: 'none',
      swaps: 0,
      initial: [-1, 1, 2, 3],
    })
    expect(steps).toEqual([cz(2, 1), cz(2, 3)])
  })

  test('places a circuit elsewhere when that needs no SWAP', () => {
    const pairs: [number, number][] = [
      [0, 4],
      [4, 2],
      [2, 1],
      [1, 3],
    ]
    const { method, swaps, steps } = routePairs(line(5), pairs)
    expect({ method, swaps }).toEqual({ method: 'placement', swaps: 0 })
    assertCoupled(steps, line(5))
  })

  test('joins the ends of a triangle on a line with one SWAP, and measures where the qubits have moved', () => {
    const triangle = [cz(0, 1), cz(1, 2), cz(0, 2), measure(0), measure(1), measure(2)]
    const { method, swaps, steps, final } = place(
      { steps: triangle, qubits: 3, fixed: NONE, coupling: line(3) },
      0,
    )
    expect({ method, swaps }).toEqual({ method: 'sabre', swaps: 1 })
    for (const step of steps) if (step.kind === 'measure') expect(final[step.clbit]).toBe(step.qubit)
  })

  test('gives the same circuit the same result', () => {
    const { qubits, ops } = randomCircuit(7, 8)
    const request = { steps: decompose(ops), qubits, fixed: NONE, coupling: COUPLINGS.grid }
    for (const level of [0, 1, 2] as const) expect(place(request, level)).toEqual(place(request, level))
  })

  test('takes a free place for a qubit with a number beyond the chip, and ignores unused qubits', () => {
    const { initial } = routePairs(line(3), [[0, 9]])
    expect([...initial]).toEqual([0, -1, -1, -1, -1, -1, -1, -1, -1, 1])
  })

  test('routes the parts of a chip that is not connected', () => {
    const coupling: Coupling = {
      qubits: 7,
      edges: [
        [0, 1],
        [1, 2],
        [3, 4],
        [4, 5],
        [5, 6],
      ],
    }
    const square: [number, number][] = [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 0],
      [0, 2],
    ]
    const { steps, initial } = routePairs(coupling, [...square, [4, 5], [5, 6], [4, 6]])
    assertCoupled(steps, coupling)
    expect(initial.subarray(0, 4).toSorted()).toEqual(Int32Array.of(3, 4, 5, 6))
  })

  test('keeps barriers between the gates that they separate', () => {
    const barrier: Step = { kind: 'barrier', qubits: [0, 1, 2, 3] }
    const steps = [cz(0, 1), barrier, cz(2, 3), cz(0, 2), cz(1, 3), cz(0, 3)]
    const routed = place({ steps, qubits: 4, fixed: NONE, coupling: line(4) }, 0).steps
    const at = routed.findIndex(({ kind }) => kind === 'barrier')
    expect(routed.slice(0, at).filter(({ kind }) => kind === 'cz').length % 3).toBe(1)
  })
})

describe('route() does not move physical qubits', () => {
  test('and brings others to them', () => {
    const fixed = new Map([[3, 2]])
    const { steps, initial, final } = routePairs(
      line(5),
      [
        [0, 3],
        [1, 0],
        [1, 3],
        [0, 3],
      ],
      fixed,
    )
    expect([initial[3], final[3]]).toEqual([2, 2])
    assertCoupled(steps, line(5))
  })

  test('and refuses two that are not coupled', () => {
    const fixed = new Map([
      [0, 0],
      [1, 2],
    ])
    expect(() => routePairs(line(3), [[0, 1]], fixed)).toThrow(
      'the circuit cannot be routed: $0 and $2 are not coupled, and physical qubits are not moved',
    )
  })
})

describe('route() refuses', () => {
  test('more qubits than the chip has', () => {
    expect(() =>
      routePairs(line(3), [
        [0, 1],
        [2, 3],
      ]),
    ).toThrow('the circuit uses 4 qubits, the device has 3')
  })

  test('a physical qubit that the chip lacks', () => {
    expect(() => routePairs(line(3), [[0, 1]], new Map([[1, 7]]))).toThrow(
      'the circuit uses $7, the device has $0 to $2',
    )
  })

  test('gates across parts that nothing connects', () => {
    const coupling: Coupling = {
      qubits: 4,
      edges: [
        [0, 1],
        [2, 3],
      ],
    }
    const message =
      'the circuit cannot be routed: its gates join 3 qubits, and the chip has no free part that connects as many'
    expect(() =>
      routePairs(coupling, [
        [0, 1],
        [1, 2],
      ]),
    ).toThrow(message)
  })
})
