import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareCounts } from '../../../ui/jobs/compare.ts'

const counts = fc.dictionary(fc.stringMatching(/^[01]{1,5}$/), fc.nat(1_000), { minKeys: 1 })

test('equal distributions have no distance, and disjoint ones the largest', () => {
  const same = compareCounts({ '0': 500, '1': 500 }, { '0': 50, '1': 50 })
  expect([same.totalVariation.value, same.fidelity]).toEqual([0, 1])
  expect(same.hellinger.value).toBeCloseTo(0, 6)
  const apart = compareCounts({ '0': 100 }, { '1': 100 })
  expect([apart.totalVariation.value, apart.hellinger.value, apart.fidelity]).toEqual([1, 1, 0])
  expect(apart.chiSquare.probability).toBeLessThan(1e-9)
})

test('the distances expected of shots alone shrink with their square root', () => {
  const expected = (shots: number) => {
    const { totalVariation, hellinger } = compareCounts(
      { '0': shots / 2, '1': shots / 2 },
      { '0': shots / 2, '1': shots / 2 },
    )
    return [totalVariation.expected, hellinger.expected]
  }
  // E|p − q| / 2 summed over both outcomes: σ √(2/π) with σ² = 1/4 · 2/n.
  expect(expected(1_000)[0]).toBeCloseTo(Math.sqrt((2 / Math.PI) * 0.25 * (2 / 1_000)), 2)
  for (const index of [0, 1]) {
    expect((expected(1_000)[index] ?? 0) / (expected(100_000)[index] ?? 1)).toBeCloseTo(10, -0.5)
  }
})

test('a difference beyond the noise is found, and reduced for the number of outcomes', () => {
  const first = { '0000': 600, '0101': 800, '1000': 92, '1010': 2_508 }
  const second = { '0000': 605, '0101': 795, '1000': 179, '1010': 2_421 }
  const { largest, chiSquare } = compareCounts(first, second)
  expect(largest?.outcome).toBe('1000')
  expect(largest?.sigmas).toBeCloseTo(5.38, 1)
  expect(largest?.corrected).toBeLessThan(largest?.sigmas ?? 0)
  expect(chiSquare.freedom).toBe(3)
})

test('a comparison is antisymmetric, and its distances stay within 0 and 1', () => {
  fc.assert(
    fc.property(counts, counts, (a, b) => {
      const [forward, backward] = [compareCounts(a, b), compareCounts(b, a)]
      for (const { value, expected } of [forward.totalVariation, forward.hellinger]) {
        expect(value).toBeWithin(0, 1 + 1e-9)
        expect(expected).toBeWithin(0, 1 + 1e-9)
      }
      expect(forward.totalVariation.value).toBeCloseTo(backward.totalVariation.value, 9)
      for (const [index, { sigmas }] of forward.outcomes.entries()) {
        expect(sigmas).toBeCloseTo(-(backward.outcomes[index]?.sigmas ?? Number.NaN), 6)
      }
    }),
    { numRuns: 50 },
  )
})
