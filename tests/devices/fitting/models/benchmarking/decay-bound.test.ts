import { expect, test } from 'bun:test'
import { boundDecay } from '../../../../../src/devices/fitting/models/benchmarking/decay-bound.ts'
import { createRng } from '../../../../../src/simulator/index.ts'

const DEPTHS = [1, 4, 16, 64, 128, 256, 512, 768, 1_024]
const SEEDS = 12

function survivals(rate: number, seed: number, noise = 0.02, start = 0.5) {
  const rng = createRng(seed)
  return DEPTHS.map((depth) =>
    Array.from({ length: SEEDS }, () => 0.5 + start * (1 - rate) ** depth + noise * rng.normal()),
  )
}

test('boundDecay() is above the true rate as often as its confidence says', () => {
  for (const rate of [0, 1e-6, 1e-5]) {
    const trials = 400
    let below = 0
    for (let seed = 0; seed < trials; seed++) {
      const bound = boundDecay(DEPTHS, survivals(rate, seed), 0.5)
      expect(bound?.confidence).toBe(0.95)
      expect(bound?.error).toBeLessThan(7e-5)
      if (rate > (bound?.error ?? 0)) below++
    }
    expect(below / trials).toBeLessThan(0.08)
  }
})

test('boundDecay() knows no bound for a signal that decays, is low, or is nothing but noise', () => {
  expect(boundDecay(DEPTHS, survivals(3e-3, 1), 0.5)).toBeUndefined()
  expect(boundDecay(DEPTHS, survivals(0, 1, 0.02, 0), 0.5)).toBeUndefined()
  expect(boundDecay(DEPTHS, survivals(0, 1, 1), 0.5)).toBeUndefined()
  expect(boundDecay(DEPTHS, survivals(0, 1, Number.NaN), 0.5)).toBeUndefined()
  for (let seed = 0; seed < 500; seed++) {
    // A dead qubit: populations between references that are the same up to noise.
    const rng = createRng(seed)
    const samples: number[][] = DEPTHS.map(() => [])
    for (let each = 0; each < SEEDS; each++) {
      const [zero, one] = [rng.normal(), rng.normal()]
      for (const all of samples) all.push(1 - (rng.normal() - zero) / (one - zero))
    }
    expect(boundDecay(DEPTHS, samples, 0.5)).toBeUndefined()
  }
})
