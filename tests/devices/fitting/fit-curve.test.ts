import { describe, expect, test } from 'bun:test'
import { propagate } from '../../../src/devices/fitting/fit-curve.ts'
import { createRng } from '../../../src/devices/index.ts'
import { CHIP_TRIALS } from '../../support/fitting/chip-trials.ts'
import { CURVE_TRIALS } from '../../support/fitting/curve-trials.ts'
import { TOMOGRAPHY_TRIAL } from '../../support/fitting/tomography-trial.ts'
import { runTrials, type TrialKind } from '../../support/fitting/trials.ts'
import { part } from '../../support/whole.ts'

/** Kinds that take longer get fewer trials; `bun bench/calibration/fits.ts` runs 500 of each. */
const SLOW = /chevron|anticrossing|CZ|tomography|shots/
const KINDS = [...CURVE_TRIALS, ...CHIP_TRIALS, TOMOGRAPHY_TRIAL]

function figuresOf(kind: TrialKind, at: number) {
  const rng = createRng(2_026)
  rng.seek(at, 0)
  const [signals, noises] = SLOW.test(kind.name) ? [3, 1] : [part(30, 15), part(30, 15)]
  return runTrials(kind, rng, { signals, noises, now: () => 0 })
}

describe('fits of simulated measurements', () => {
  const covered: number[] = []

  test.each(KINDS.map((kind, at) => [kind.name, kind, at] as const))('%s', (_, kind, at) => {
    const figures = figuresOf(kind, at)
    expect(figures.right / figures.trials).toBeGreaterThanOrEqual(0.8)
    expect(figures.noiseAccepted).toBe(0)
    if (!SLOW.test(kind.name) && !Number.isNaN(figures.covered)) covered.push(figures.covered)
  })

  test('two standard errors cover the truth about as often as they should', () => {
    const mean = covered.reduce((sum, share) => sum + share, 0) / covered.length
    expect(covered.length).toBeGreaterThan(10)
    expect(mean).toBeGreaterThan(0.92)
    expect(mean).toBeLessThan(0.99)
  })
})

describe('propagate()', () => {
  test('gives the errors of functions of correlated parameters', () => {
    const parameters = Float64Array.of(3, 4)
    const covariance = Float64Array.of(0.04, 0.03, 0.03, 0.09)
    const { sum, difference } = propagate({ parameters, covariance }, ([a = 0, b = 0]) => ({
      ...{ sum: a + b, difference: a - b },
    }))
    expect(sum.value).toBe(7)
    expect(sum.error).toBeCloseTo(Math.sqrt(0.04 + 0.09 + 0.06), 9)
    expect(difference.error).toBeCloseTo(Math.sqrt(0.04 + 0.09 - 0.06), 9)
  })

  test('an undetermined parameter makes all errors infinite', () => {
    const solution = { parameters: Float64Array.of(1), covariance: Float64Array.of(Number.POSITIVE_INFINITY) }
    expect(propagate(solution, ([a = 0]) => ({ a })).a.error).toBe(Number.POSITIVE_INFINITY)
  })
})
