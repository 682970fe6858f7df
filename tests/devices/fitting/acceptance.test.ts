import { describe, expect, test } from 'bun:test'
import { isInside, rejectSamples, rejectSolution } from '../../../src/devices/fitting/acceptance.ts'
import { projectOnPrincipalAxis } from '../../../src/devices/fitting/complex-series.ts'
import type { Fit } from '../../../src/devices/fitting/fit.ts'
import { fitAllXy } from '../../../src/devices/fitting/models/all-xy.ts'
import { fitAnticrossing } from '../../../src/devices/fitting/models/anticrossing.ts'
import { fitBenchmarking, fitPurity } from '../../../src/devices/fitting/models/benchmarking/benchmarking.ts'
import { fitLeakage } from '../../../src/devices/fitting/models/benchmarking/leakage.ts'
import { discriminate, fitClouds } from '../../../src/devices/fitting/models/clouds.ts'
import { fitCosine, fitFringe, fitRabi } from '../../../src/devices/fitting/models/cosine.ts'
import { fitChevron, fitCzSpectroscopy } from '../../../src/devices/fitting/models/cz.ts'
import { fitDampedCosine, solveDetuning } from '../../../src/devices/fitting/models/damped-cosine.ts'
import { fitExponential } from '../../../src/devices/fitting/models/exponential.ts'
import { fitLorentzian } from '../../../src/devices/fitting/models/lorentzian.ts'
import { fitProcess } from '../../../src/devices/fitting/models/process-tomography.ts'
import { chooseDuration, fitScorePeak } from '../../../src/devices/fitting/models/readout-optimum.ts'
import { fitDrag, fitFineAmplitude } from '../../../src/devices/fitting/models/repeated-pulse.ts'
import { fitResonator } from '../../../src/devices/fitting/models/resonator.ts'
import { fitStep } from '../../../src/devices/fitting/models/step.ts'
import { finished } from '../../support/fitting/finished.ts'

const X = Array.from({ length: 40 }, (_, at) => 0.01 * at)
const COLUMNS = X.slice(0, 10)
const ROWS = X.slice(0, 4)
const LABEL = { name: 'signal', unit: 'V' }
const sequences = (samples: number[]) => samples.map((value) => [value])

/** Every fit, of the same samples; those of two axes read them as 4 rows of 10. */
const FITS: Record<string, (samples: number[]) => Fit<unknown>> = {
  lorentzian: (y) => finished(fitLorentzian(X, y)),
  resonator: (y) => finished(fitResonator(X, { re: y, im: y })),
  step: (y) => finished(fitStep(X, y, LABEL)),
  cosine: (y) => finished(fitCosine(X, y)),
  rabi: (y) => finished(fitRabi(X, y, LABEL)),
  fringe: (y) => finished(fitFringe(X, y)),
  dampedCosine: (y) => finished(fitDampedCosine(X, y, { wanted: 'decay' })),
  detuning: (y) =>
    solveDetuning(y.slice(0, 3).map((value) => ({ artificial: 0, frequency: { value, error: value } }))),
  exponential: (y) => finished(fitExponential(X, y)),
  drag: (y) =>
    finished(
      fitDrag(X, [
        { count: 1, populations: y },
        { count: 7, populations: y },
      ]),
    ),
  fineAmplitude: (y) =>
    finished(
      fitFineAmplitude(X, [
        { count: 1, populations: y },
        { count: 7, populations: y },
      ]),
    ),
  benchmarking: (y) => finished(fitBenchmarking(X, sequences(y))),
  purity: (y) => finished(fitPurity(X, sequences(y))),
  leakage: (y) => finished(fitLeakage(X, sequences(y))),
  discriminator: (y) => finished(discriminate({ re: y, im: y }, { re: y, im: y })),
  clouds: (y) => finished(fitClouds([0, 1, 2].map(() => ({ re: y, im: y })))),
  scorePeak: (y) => finished(fitScorePeak(COLUMNS, ROWS, y)),
  duration: (y) =>
    chooseDuration(
      X,
      y.map((value) => ({ value, error: 0.01 })),
    ),
  allXy: (y) => finished(fitAllXy(y.slice(0, 21))),
  anticrossing: (y) => finished(fitAnticrossing(X, y, y)),
  czSpectroscopy: (y) => finished(fitCzSpectroscopy(COLUMNS, ROWS, y)),
  chevron: (y) => finished(fitChevron(COLUMNS, ROWS, y)),
  chevronOverAmplitude: (y) => finished(fitChevron(COLUMNS, ROWS, y, 'amplitude')),
  process: (y) =>
    finished(
      fitProcess({
        counts: Array.from({ length: 16 }, () => Array.from({ length: 9 }, () => y.slice(0, 4))),
      }),
    ),
}

const wave = X.map((x) => Math.sin(40 * x))

/** Samples that hold no measurement. */
const SHAPES: Record<string, number[]> = {
  zeros: X.map(() => 0),
  'equal samples': X.map(() => 0.37),
  'not a number': X.map(() => Number.NaN),
  'one that is not a number': wave.map((value, at) => (at === 2 ? Number.NaN : value)),
  'an infinite one': wave.map((value, at) => (at === 1 ? Number.POSITIVE_INFINITY : value)),
  'a constant with rounding errors': X.map((_, at) => 0.5 + (at % 2) * 1e-13),
  'clipped on both sides': wave.map((value) => Math.sign(value) * 0.1),
  'one point': [0.4],
  'no points': [],
  'too few': wave.slice(0, 17),
}

describe('rejectSamples()', () => {
  const cases = Object.keys(FITS).flatMap((fit) => Object.keys(SHAPES).map((shape) => [fit, shape] as const))

  test.each(cases)('fit %s rejects %s', (fit, shape) => {
    const result = FITS[fit]?.(SHAPES[shape] ?? [])
    expect(result?.ok).toBe(false)
    expect(() => JSON.stringify(result)).not.toThrow()
    expect(JSON.stringify(result)).not.toContain('NaN')
  })

  test('names what is missing', () => {
    const options = { parameters: 3 }
    expect(rejectSamples(X, wave.slice(1), options)?.message).toBe('39 samples for 40 swept values')
    expect(rejectSamples([1, 2], [1, 2], options)?.message).toBe('2 samples; the fit needs at least 5')
    expect(
      rejectSamples(
        X,
        X.map(() => 1),
        options,
      )?.message,
    ).toContain('holds no signal')
    expect(
      rejectSamples(
        X.map(() => 1),
        wave,
        options,
      )?.message,
    ).toContain('sweep are equal')
    expect(
      rejectSamples(
        X,
        wave.map((value) => Math.min(value, 0.2)),
        options,
      )?.message,
    ).toContain('clipped')
    expect(rejectSamples(X, wave, options)).toBeUndefined()
  })
})

describe('rejectSolution()', () => {
  const good = { r2: 0.9, dbic: 80, se_rel: 0.01, points: 40, dof: 36 }
  const key = { name: 'center', estimate: { value: 0.2, error: 0.01 }, scale: 0.2, swept: X }

  test('applies its tests in order', () => {
    expect(rejectSolution(good, [key])).toBeUndefined()
    expect(rejectSolution({ ...good, dbic: 14 }, [key])?.code).toBe('no_signal')
    expect(rejectSolution({ ...good, r2: 0.4 }, [key])?.code).toBe('no_signal')
    expect(rejectSolution({ ...good, dbic: Number.NaN }, [key])?.code).toBe('no_signal')
    const outside = { ...key, estimate: { value: 0.6, error: 0.3 } }
    expect(rejectSolution(good, [outside])?.code).toBe('unresolved')
    expect(rejectSolution(good, [{ ...outside, scale: 2 }])?.code).toBe('edge_of_sweep')
  })

  test('a value within one step of the end is at the edge', () => {
    expect(isInside(0.005, X)).toBe(false)
    expect(isInside(0.011, X)).toBe(true)
    expect(isInside(0.385, X)).toBe(false)
  })
})

describe('projectOnPrincipalAxis()', () => {
  test('recovers a real signal from its turned and shifted quadratures', () => {
    const angle = 0.7
    const series = {
      re: wave.map((value) => 3 + value * Math.cos(angle)),
      im: wave.map((value) => -1 + value * Math.sin(angle)),
    }
    const { values, share, angle: found } = projectOnPrincipalAxis(series)
    const mean = wave.reduce((sum, value) => sum + value, 0) / wave.length
    expect(share).toBeCloseTo(1, 9)
    expect(Math.tan(found)).toBeCloseTo(Math.tan(angle), 9)
    for (const [at, value] of wave.entries()) expect(values[at]).toBeCloseTo(value - mean, 9)
  })

  test('unequal lengths give values that no fit accepts', () => {
    const { values } = projectOnPrincipalAxis({ re: X, im: X.slice(1) })
    expect(finished(fitLorentzian(X, values))).toMatchObject({ ok: false, code: 'no_data' })
  })
})
