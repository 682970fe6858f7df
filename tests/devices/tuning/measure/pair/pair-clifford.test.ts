import { expect, test } from 'bun:test'
import { czTransfer } from '../../../../../src/devices/fitting/models/process-tomography.ts'
import {
  CZ_GATE,
  inverseOfPair,
  PAIR_GATES,
  type PairGate,
  pairGate,
  randomPairGates,
} from '../../../../../src/devices/tuning/measure/pair/pair-clifford.ts'
import { createRng } from '../../../../../src/simulator/index.ts'

const isNothing = ({ images }: PairGate) => images.every((image, product) => image === product)
const gatesOf = (gate: PairGate) => gate.layers.filter((layer) => layer === 'cz').length

test('the group has 11,520 different gates, of which 576, 5,184, 5,184 and 576 have 0 to 3 CZ', () => {
  const seen = new Set<string>()
  const counts = [0, 0, 0, 0]
  for (let number = 0; number < PAIR_GATES; number++) {
    const gate = pairGate(number)
    seen.add(gate.images.join())
    counts[gatesOf(gate)] = (counts[gatesOf(gate)] ?? 0) + 1
  }
  expect(seen.size).toBe(11_520)
  expect(counts).toEqual([576, 5_184, 5_184, 576])
})

test('the inverse undoes any sequence, and is a gate of the group itself', () => {
  const rng = createRng(7)
  for (let length = 0; length < 60; length++) {
    const gates = randomPairGates(rng, length).flatMap((gate) => [gate, CZ_GATE])
    const inverse = inverseOfPair(gates)
    expect(isNothing(inverse)).toBe(length === 0)
    expect(gatesOf(inverse)).toBeLessThanOrEqual(3)
    expect(isNothing(inverseOfPair([...gates, inverse]))).toBe(true)
    // What undoes the inverse is the sequence: the same images.
    const product = inverseOfPair([inverse])
    expect(isNothing(inverseOfPair([inverseOfPair(gates), product]))).toBe(true)
  }
})

test('CZ maps Pauli products as its transfer matrix says', () => {
  const transfer = czTransfer()
  for (const [product, image] of CZ_GATE.images.entries()) {
    expect(transfer[16 * (image & 15) + product]).toBe(image < 16 ? 1 : -1)
  }
})

test('random gates are of the group with equal chances', () => {
  const gates = randomPairGates(createRng(3), 20_000)
  const shares = [0, 1, 2, 3].map((count) => gates.filter((gate) => gatesOf(gate) === count).length / 20_000)
  for (const [count, share] of [0.05, 0.45, 0.45, 0.05].entries())
    expect(Math.abs((shares[count] ?? 0) - share)).toBeLessThan(0.012)
})
