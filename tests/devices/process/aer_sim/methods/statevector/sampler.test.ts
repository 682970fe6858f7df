import { expect, test } from 'bun:test'
import { createRng } from '../../../../../../src/devices/numeric/random.ts'
import {
  firstAbove,
  sampleIndices,
} from '../../../../../../src/devices/process/aer_sim/methods/statevector/sampler.ts'

/** A state with the given probabilities. */
function stateOf(probabilities: number[]): Float64Array {
  return Float64Array.from(probabilities.flatMap((p, i) => (i % 2 ? [0, Math.sqrt(p)] : [-Math.sqrt(p), 0])))
}

test('firstAbove() never picks an entry that adds nothing', () => {
  const sums = Float64Array.of(0, 0.5, 0.5, 1, 1)
  expect([0, 0.49, 0.5, 0.99, 1, 1.01].map((target) => firstAbove(sums, 5, target))).toEqual([
    1, 1, 3, 3, 3, 3,
  ])
})

test('sampleIndices() picks the index whose range of the unit interval holds the draw', () => {
  const state = stateOf([0.25, 0, 0.5, 0.25])
  const indices = sampleIndices(state, Float64Array.of(0.9, 0, 0.24, 0.26, 0.74, 0.76))
  expect([...indices]).toEqual([3, 0, 0, 2, 2, 3])
})

test('sampleIndices() finds outcomes in every block of a large state', () => {
  const size = 2 ** 15
  const state = new Float64Array(2 * size)
  const hits = [0, 4_095, 4_096, 20_000, size - 1]
  for (const hit of hits) state[2 * hit + 1] = Math.sqrt(1 / hits.length)
  const indices = sampleIndices(state, Float64Array.of(0.95, 0.1, 0.5, 0.3, 0.7, 1 - 2 ** -53))
  expect([...indices]).toEqual([size - 1, 0, 4_096, 4_095, 20_000, size - 1])
})

test('sampleIndices() follows a chi-square distribution', () => {
  const probabilities = [0.4, 0.3, 0.2, 0.05, 0.03, 0.02, 0, 0]
  const rng = createRng(12)
  const shots = 50_000
  const indices = sampleIndices(
    stateOf(probabilities),
    Float64Array.from({ length: shots }, () => rng.next()),
  )
  const counts = new Array<number>(8).fill(0)
  for (const index of indices) counts[index] = (counts[index] ?? 0) + 1
  expect(counts.slice(6)).toEqual([0, 0])
  const chiSquare = probabilities
    .slice(0, 6)
    .reduce((sum, p, i) => sum + ((counts[i] ?? 0) - p * shots) ** 2 / (p * shots), 0)
  // 5 degrees of freedom: 20.5 is exceeded once in a thousand.
  expect(chiSquare).toBeLessThan(20.5)
})
