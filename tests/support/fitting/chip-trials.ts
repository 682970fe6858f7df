import { fitAllXy } from '../../../src/devices/fitting/models/all-xy.ts'
import { fitAnticrossing } from '../../../src/devices/fitting/models/anticrossing.ts'
import { discriminate, fitClouds } from '../../../src/devices/fitting/models/clouds.ts'
import { fitChevron, fitCzSpectroscopy } from '../../../src/devices/fitting/models/cz.ts'
import { chooseDuration, fitScorePeak } from '../../../src/devices/fitting/models/readout-optimum.ts'
import type { Rng } from '../../../src/simulator/index.ts'
import { finished } from './finished.ts'
import { between, compare, grid, logSpaced, measured, spaced, type TrialKind } from './trials.ts'

const MHZ = 1e6
/** Of a value that is no parameter. */
const WITHOUT_ERROR = { error: Number.NaN }

/** Readings of a line of a qubit near a coupler: 2 % are wild, 6 % missing. */
function branch(
  rng: Rng,
  currents: readonly number[],
  frequency: number,
  g: number,
  coupler: (i: number) => number,
) {
  return currents.map((current) => {
    const half = (coupler(current) - frequency) / 2
    const shift = half - Math.sign(half) * Math.hypot(half, g)
    const lot = rng.next()
    if (lot < 0.06 || Math.abs(shift) > 20 * MHZ) return Number.NaN
    if (lot < 0.08) return frequency + between(rng, -20, 20) * MHZ
    return frequency + shift + 0.12 * MHZ * rng.normal()
  })
}

/** Population of 11 that a driven exchange leaves. */
const remaining = (g: number, detuning: number, time: number, decay: number) => {
  const swing = 4 * g * g + detuning * detuning
  const wave = Math.exp(-time / decay) * Math.cos(2 * Math.PI * Math.sqrt(swing) * time)
  return 1 - (((4 * g * g) / swing) * (1 - wave)) / 2
}

function cloud(
  rng: Rng,
  shots: number,
  x: number,
  y: number,
  sigma: number,
  others: [number, number, number][] = [],
) {
  const points = Array.from({ length: shots }, () => {
    let lot = rng.next()
    const other = others.find(([share]) => {
      lot -= share
      return lot < 0
    })
    const [, a, b] = other ?? [0, x, y]
    return { re: a + sigma * rng.normal(), im: b + sigma * rng.normal() }
  })
  return { re: points.map(({ re }) => re), im: points.map(({ im }) => im) }
}

/** Measurements over two axes, of shots, and of sequences. */
export const CHIP_TRIALS: readonly TrialKind[] = [
  {
    name: 'chevron, 25 × 26 points',
    tolerance: 'center 100 kHz, exchange 2 %',
    prepare(rng, hasSignal) {
      const middle = 400 * MHZ
      const [x, t] = [spaced(middle - 5 * MHZ, middle + 5 * MHZ, 25), spaced(24e-9, 424e-9, 26)]
      const [center, g] = [middle + between(rng, -2, 2) * MHZ, between(rng, 2.4, 6.5) * MHZ]
      const contrast = hasSignal ? between(rng, 0.75, 0.95) : 0
      const [decay, offset] = [between(rng, 1e-6, 6e-6), 0.96]
      const z = measured(rng, grid(t, x), 0.02, ([time, f]) => {
        return offset - contrast * (1 - remaining(g, f - center, time, decay))
      })
      return () =>
        compare(finished(fitChevron(x, t, z)), { center: [center, 0.1 * MHZ], exchange: [g, 0.02 * g] })
    },
  },
  {
    name: 'chevron over amplitude, 25 × 26 points',
    tolerance: 'center 1 %, exchange 3 %',
    prepare(rng, hasSignal) {
      const [x, t] = [spaced(0.32, 0.48, 25), spaced(24e-9, 424e-9, 26)]
      const [center, g] = [between(rng, 0.37, 0.43), between(rng, 3, 6) * MHZ]
      const [contrast, slope] = [hasSignal ? between(rng, 0.75, 0.95) : 0, between(rng, 60, 250) * MHZ]
      const z = measured(rng, grid(t, x), 0.02, ([time, a]) => {
        return 0.96 - contrast * (1 - remaining(g, slope * (a * a - center * center), time, 3e-6))
      })
      return () =>
        compare(finished(fitChevron(x, t, z, 'amplitude')), {
          center: [center, 0.01 * center],
          exchange: [g, 0.03 * g],
        })
    },
  },
  {
    name: 'CZ spectroscopy, 25 × 21 points',
    tolerance: 'resonance 300 kHz, exchange 10 %',
    prepare(rng, hasSignal) {
      const middle = 400 * MHZ
      const [f, a] = [spaced(middle - 15 * MHZ, middle + 15 * MHZ, 25), spaced(0.1, 0.95, 21)]
      const [resonance, shift] = [middle + between(rng, -4, 6) * MHZ, between(rng, -6, 0) * MHZ]
      const exchange = between(rng, 1.2, 3.5) * MHZ
      const height = hasSignal ? between(rng, 0.4, 0.5) : 0
      const z = measured(rng, grid(a, f), 0.02, ([amplitude, frequency]) => {
        const detuning = frequency - resonance - shift * amplitude ** 2
        const swing = (2 * exchange * amplitude) ** 2
        return 0.02 + (height * swing) / (swing + detuning ** 2)
      })
      const wanted = { resonance: [resonance, 0.3 * MHZ], exchange: [exchange, 0.1 * exchange] } as const
      return () => compare(finished(fitCzSpectroscopy(f, a, z)), wanted)
    },
  },
  {
    name: 'anticrossing, 2 × 81 points, 2 % wild, 6 % missing',
    tolerance: 'sweet spot 10 µA, crossings 20 µA',
    prepare(rng, hasSignal) {
      const currents = spaced(-2e-3, 2e-3, 81)
      const [low, high] = [between(rng, 4.25e9, 4.6e9), between(rng, 4.95e9, 5.3e9)]
      const [top, period, spot] = [
        between(rng, 6.2e9, 7.4e9),
        between(rng, 3.6e-3, 4.8e-3),
        between(rng, -2e-4, 2e-4),
      ]
      const coupler = (i: number) => top * Math.sqrt(Math.abs(Math.cos((Math.PI * (i - spot)) / period)))
      const far = () => currents.map(() => 4.8e9 + 0.3 * MHZ * rng.normal())
      const [a, b] = hasSignal
        ? [
            branch(rng, currents, low, between(rng, 40, 90) * MHZ, coupler),
            branch(rng, currents, high, between(rng, 40, 90) * MHZ, coupler),
          ]
        : [far(), far()]
      return () => {
        const fit = finished(fitAnticrossing(currents, a, b))
        const trial = compare(fit, { sweet_spot: [spot, 10e-6] })
        if (!fit.ok) return trial
        for (const { current, qubit } of fit.values.crossings) {
          const angle = (Math.acos(((qubit === 0 ? low : high) / top) ** 2) * period) / Math.PI
          const truths = [spot - angle, spot + angle, spot - angle + period, spot + angle - period]
          const truth = truths.reduce((x, y) =>
            Math.abs(x - current.value) < Math.abs(y - current.value) ? x : y,
          )
          trial.comparisons.push({ ...current, truth, tolerance: 20e-6 })
        }
        return trial
      }
    },
  },
  {
    name: 'readout score, 11 × 9 points',
    tolerance: 'score there 97 % of the best',
    prepare(rng, hasSignal) {
      const [f, a] = [spaced(-0.75 * MHZ, 0.75 * MHZ, 11), spaced(0.25, 1.4, 9)]
      const [best, top] = [between(rng, -0.2, 0.2) * MHZ, between(rng, 0.65, 1)]
      const score = (frequency: number, amplitude: number) =>
        20 / (1 + ((frequency - best) / (0.4 * MHZ)) ** 2) / (1 + (Math.log(amplitude / top) / 0.6) ** 2)
      const z = measured(rng, grid(a, f), 1, ([amplitude, frequency]) => {
        const value = hasSignal ? score(frequency, amplitude) : 12
        return value * (1 + 0.05 * rng.normal())
      })
      return () => {
        const fit = finished(fitScorePeak(f, a, z))
        if (!fit.ok) return { fit, comparisons: [] }
        const found = score(fit.values.frequency.value, fit.values.amplitude.value)
        return { fit, comparisons: [{ value: found, ...WITHOUT_ERROR, truth: 20, tolerance: 0.6 }] }
      }
    },
  },
  {
    name: 'integration time, 21 points',
    tolerance: 'infidelity 1.15 × the least',
    prepare(rng, hasSignal) {
      const t = logSpaced(0.2e-6, 4e-6, 21)
      const [t1, noise] = [between(rng, 30e-6, 90e-6), between(rng, 0.5e-6, 1.2e-6)]
      const infidelity = (time: number) =>
        hasSignal ? 0.005 + time / (4 * t1) + 0.5 * Math.exp(-time / noise) : 0.1
      const errors = t.map((time) => Math.sqrt(infidelity(time) / 4_000))
      return () => {
        const fit = chooseDuration(
          t,
          t.map((time, at) => ({
            value: 1 - infidelity(time) + (errors[at] ?? 0) * rng.normal(),
            error: errors[at] ?? 0,
          })),
        )
        if (!fit.ok) return { fit, comparisons: [] }
        const least = Math.min(...t.map(infidelity))
        const found = infidelity(fit.values.duration.value)
        return {
          fit,
          comparisons: [{ value: found, ...WITHOUT_ERROR, truth: least, tolerance: 0.15 * least }],
        }
      }
    },
  },
  {
    name: 'two states, 2 × 2,000 shots',
    tolerance: 'rotation 3°, threshold 0.1 of the separation',
    prepare(rng, hasSignal) {
      const [angle, distance] = [between(rng, -3, 3), hasSignal ? between(rng, 3.5, 6) : 0]
      const [x, y] = [between(rng, -3, 3), between(rng, -3, 3)]
      const [u, v] = [x + distance * Math.cos(angle), y + distance * Math.sin(angle)]
      const between01: [number, number] = [(x + u) / 2, (y + v) / 2]
      const zero = cloud(rng, 2_000, x, y, 1, [[0.01, u, v]])
      const one = cloud(rng, 2_000, u, v, 1, [
        [0.03, ...between01],
        [0.02, x, y],
      ])
      return () => {
        const fit = finished(discriminate(zero, one))
        const middle = Math.cos(angle) * between01[0] + Math.sin(angle) * between01[1]
        const turns = fit.ok ? Math.round((fit.values.rotation.value + (angle * 180) / Math.PI) / 360) : 0
        const rotation = 360 * turns - (angle * 180) / Math.PI
        const trial = compare(fit, { rotation: [rotation, 3] })
        if (!fit.ok) return trial
        const value = fit.values.threshold.value
        trial.comparisons.push({ value, ...WITHOUT_ERROR, truth: middle, tolerance: 0.1 * distance })
        return trial
      }
    },
  },
  {
    name: 'three states, 3 × 2,000 shots',
    tolerance: 'worst diagonal above 0.85',
    prepare(rng, hasSignal) {
      const size = hasSignal ? 1 : 0
      const [a, b, c] = [
        [0, 0],
        [4 * size, 0.5 * size],
        [2 * size, 4 * size],
      ] as [number, number][]
      const shots = [
        cloud(rng, 2_000, ...(a as [number, number]), 1, [[0.01, ...(b as [number, number])]]),
        cloud(rng, 2_000, ...(b as [number, number]), 1, [[0.04, ...(a as [number, number])]]),
        cloud(rng, 2_000, ...(c as [number, number]), 1, [[0.05, ...(b as [number, number])]]),
      ]
      return () => {
        const fit = finished(fitClouds(shots))
        const comparisons = fit.ok
          ? [{ value: fit.values.worst.value, ...WITHOUT_ERROR, truth: 0.925, tolerance: 0.075 }]
          : []
        return { fit, comparisons }
      }
    },
  },
  {
    name: 'AllXY, 21 pairs',
    tolerance: 'rms 0.01 of the true deviation',
    prepare(rng, hasSignal) {
      const error = hasSignal ? between(rng, -0.05, 0.05) : 0
      const ideal = [
        ...Array(5).fill(0),
        ...Array(12).fill(0.5),
        ...Array(4).fill(hasSignal ? 1 : 0),
      ] as number[]
      const sign = [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 0, 0, 0, 0]
      const truth = hasSignal
        ? ideal.map((value, at) => value + ((sign[at] ?? 0) * error * Math.PI) / 4)
        : Array(21).fill(0.5)
      const y = measured(rng, truth, 0.012, (value) => value)
      const rms = Math.sqrt(truth.reduce((sum, value, at) => sum + (value - (ideal[at] ?? 0)) ** 2, 0) / 21)
      return () => compare(finished(fitAllXy(y)), { rms: [Math.hypot(rms, 0.012), 0.01] })
    },
  },
]
