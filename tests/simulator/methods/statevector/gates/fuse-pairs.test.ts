import { expect, test } from 'bun:test'
import type { Op } from '../../../../../src/qasm/index.ts'
import { fusePairs } from '../../../../../src/simulator/methods/statevector/gates/fuse-pairs.ts'
import { createRng } from '../../../../../src/simulator/numeric/random.ts'
import type { StateOp } from '../../../../../src/simulator/reduction/reduce-circuit.ts'
import { drawnSeeds } from '../../../../support/random/drawn-seeds.ts'
import { h, measure, phase, randomUnitary, ry, swap, unitary, x, z } from '../../../support/ops.ts'
import { applyOp, zeroState } from '../../../support/reference.ts'

const namesOf = (ops: readonly StateOp[]) => ops.map((op) => ('name' in op ? op.name : op.kind))
const dense = (...qubits: number[]) => unitary(randomUnitary(qubits.length, createRng(3).next), qubits)
/** A gate on each of two qubits, and a controlled Z. */
const layer = (a: number, b: number) => [ry(0.3, a), ry(0.4, b), z(a, b)]

test('fusePairs() multiplies gates on two qubits where one matrix takes less time', () => {
  const three = [...layer(0, 1), ...layer(0, 1), ...layer(1, 0), ry(0.1, 0)]
  expect(namesOf(fusePairs(three))).toEqual(['fused'])
  expect(fusePairs([...layer(0, 1), ...layer(0, 1)])).toEqual([...layer(0, 1), ...layer(0, 1)])
  expect(namesOf(fusePairs([dense(2, 0), ry(0.2, 0)]))).toEqual(['fused'])
  expect(fusePairs([dense(2, 0)])).toEqual([dense(2, 0)])
})

test('fusePairs() keeps phases, swaps, measurements and gates on three qubits', () => {
  const phases: StateOp[] = [phase(0.1, [0, 1]), phase(0.2, [1, 2]), phase(0.3, [0, 2]), phase(0.4, [])]
  for (const ops of [
    phases,
    [swap(0, 1), h(0)],
    [h(0), measure(0), h(0)],
    [h(0), h(1), dense(0, 1, 2)],
  ] as StateOp[][])
    expect(fusePairs(ops)).toEqual(expect.arrayContaining(ops))
})

test('fusePairs() changes no state', () => {
  const [seed = 0] = drawnSeeds(1)
  const rng = createRng(seed)
  const qubits = 4
  const pick = () => Math.floor(rng.next() * qubits)
  let count = 0
  for (let round = 0; round < 60; round++) {
    const ops = Array.from({ length: 40 }, () => {
      const a = pick()
      const b = (a + 1 + Math.floor(rng.next() * (round % 2 === 0 ? 1 : 3))) % qubits
      const c = [0, 1, 2, 3].find((each) => each !== a && each !== b) ?? 0
      const choices = [
        () => unitary(randomUnitary(1, rng.next), [a]),
        () => phase(rng.next(), [a]),
        () => phase(rng.next(), [a, b], Math.floor(4 * rng.next())),
        () => unitary(randomUnitary(1, rng.next), [a], [b], Math.floor(2 * rng.next())),
        () => unitary(randomUnitary(2, rng.next), [a, b]),
        () => swap(a, b),
        () => x(a, b),
        () => x(a, b, c),
      ]
      return (choices[Math.floor(rng.next() * choices.length)] ?? (() => h(a)))()
    })
    const fused = fusePairs(ops)
    count += fused.filter((op) => 'name' in op && op.name === 'fused').length
    const [expected, found] = [ops, fused].map((each) => (each as Op[]).reduce(applyOp, zeroState(qubits)))
    const apart = (expected ?? []).map(([re, im], index) => {
      const [foundRe = 9, foundIm = 9] = found?.[index] ?? []
      return Math.hypot(re - foundRe, im - foundIm)
    })
    expect([seed, round, Math.max(...apart) < 1e-12]).toEqual([seed, round, true])
  }
  expect(count).toBeGreaterThan(100)
})
