import { expect, test } from 'bun:test'
import {
  fitBenchmarking,
  fitPurity,
} from '../../../../../src/devices/fitting/models/benchmarking/benchmarking.ts'
import { fitInterleaved } from '../../../../../src/devices/fitting/models/benchmarking/interleaved.ts'
import {
  jackknifeErrors,
  spreadsOf,
} from '../../../../../src/devices/fitting/models/benchmarking/sequences.ts'
import { PAUSE } from '../../../../../src/devices/fitting/steps.ts'
import { createRng, type Rng } from '../../../../../src/simulator/index.ts'
import { finished } from '../../../../support/fitting/finished.ts'

const DEPTHS = [0, 2, 4, 8, 16, 32, 64, 128, 256]
const SEEDS = 16

/** Sequences whose errors differ by a quarter beside the noise of a thousand shots, as those of chips do. */
function sequences(rng: Rng, rate: number, base: number) {
  return DEPTHS.map((depth) =>
    Array.from({ length: SEEDS }, () => {
      const decayed = (1 - rate * (1 + 0.25 * rng.normal())) ** depth
      const mean = base + (0.97 - base) * decayed
      return mean + Math.sqrt((mean * (1 - mean)) / 1_000) * rng.normal()
    }),
  )
}

function deviationOf(pulls: readonly number[]): number {
  return Math.sqrt(pulls.reduce((sum, pull) => sum + pull ** 2 / pulls.length, 0))
}

test('standard errors of decays are as large as their distances from the truth', () => {
  const pulls = { survival: [] as number[], purity: [] as number[] }
  for (let trial = 0; trial < 40; trial++) {
    const rng = createRng(trial)
    const rate = 10 ** (-3.5 + 1.5 * rng.next())
    const survival = finished(fitBenchmarking(DEPTHS, sequences(rng, rate, 0.25), { qubits: 2 }))
    const purity = finished(fitPurity(DEPTHS, sequences(rng, rate, 0)))
    if (survival.ok) {
      const { value, error } = survival.values.error_rate
      pulls.survival.push((value - rate) / error)
    }
    if (purity.ok) pulls.purity.push((purity.values.error_rate.value - rate) / purity.values.error_rate.error)
  }
  for (const [name, all] of Object.entries(pulls)) {
    expect([name, all.length > 33]).toEqual([name, true])
    expect([name, deviationOf(all) > 0.8, deviationOf(all) < 1.3]).toEqual([name, true, true])
  }
})

test('the standard error of an interleaved gate is as large as its distance from the truth', () => {
  const pulls: number[] = []
  for (let trial = 0; trial < 20; trial++) {
    const rng = createRng(1_000 + trial)
    const [plain, gate] = [10 ** (-3 + rng.next()), 10 ** (-2.6 + rng.next())]
    const truth = 0.75 * gate
    const found = finished(
      fitInterleaved(
        { depths: DEPTHS, survival: sequences(rng, plain, 0.28) },
        { depths: DEPTHS, survival: sequences(rng, 1 - (1 - plain) * (1 - gate), 0.28) },
        { qubits: 2, base: 0.28 },
      ),
    )
    if (!found.gate.ok) throw new Error(found.gate.message)
    const { value, error } = found.gate.values.gate_error
    pulls.push((value - truth) / error)
    if (found.upperBound) expect(found.upperBound.error).toBeGreaterThan(value)
  }
  expect(deviationOf(pulls)).toBeGreaterThan(0.75)
  expect(deviationOf(pulls)).toBeLessThan(1.35)
})

test('jackknifeErrors() of a mean is its standard error, also of what the sequences of a seed share', () => {
  const values = [0.1, 0.4, 0.35, 0.8, 0.2, 0.6, 0.5, 0.45, 0.3, 0.7]
  const mean = (all: readonly number[]) => all.reduce((sum, value) => sum + value / all.length, 0)
  const errors = finished(
    jackknifeErrors<'mean'>(values.length, function* (seed) {
      yield PAUSE
      return { mean: mean(values.toSpliced(seed, 1)) }
    }),
  )
  const squares = values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0)
  // Student's factor of 9 degrees of freedom is 1.16.
  expect((errors?.mean ?? 0) / Math.sqrt(squares / 9 / 10)).toBeCloseTo(1.16, 2)
  const estimate = function* () {
    yield PAUSE
    return { mean: 1 }
  }
  expect(finished(jackknifeErrors(2, estimate))).toBeUndefined()
  expect(
    finished(
      jackknifeErrors(5, function* (seed) {
        yield PAUSE
        return seed === 3 ? undefined : { mean: 1 }
      }),
    ),
  ).toBeUndefined()
})

test('spreadsOf() is that of means, and unknown for few seeds or equal samples', () => {
  const samples = [
    [0, 2, 4],
    [0, 2, 4],
  ]
  expect(spreadsOf(samples)?.[0]).toBeCloseTo(Math.sqrt(4 / 3), 12)
  expect(spreadsOf([[1, 2]])).toBeUndefined()
  expect(spreadsOf([[1, 1, 1]])).toBeUndefined()
})
