import { fitBenchmarking, fitPurity } from '../../../src/devices/fitting/models/benchmarking/benchmarking.ts'
import { fitCosine, fitFringe, fitRabi } from '../../../src/devices/fitting/models/cosine.ts'
import { fitDampedCosine } from '../../../src/devices/fitting/models/damped-cosine.ts'
import { fitExponential } from '../../../src/devices/fitting/models/exponential.ts'
import { fitLorentzian } from '../../../src/devices/fitting/models/lorentzian.ts'
import { fitDrag, fitFineAmplitude } from '../../../src/devices/fitting/models/repeated-pulse.ts'
import { fitResonator } from '../../../src/devices/fitting/models/resonator.ts'
import { fitStep } from '../../../src/devices/fitting/models/step.ts'
import { finished } from './finished.ts'
import { between, compare, logBetween, measured, spaced, type TrialKind } from './trials.ts'

const MHZ = 1e6

/**
 * Measurements over one axis, with the noise of some thousand shots. The formulas are those of the design.
 */
export const CURVE_TRIALS: readonly TrialKind[] = [
  {
    name: 'Lorentzian, 101 points',
    tolerance: 'center 0.15 w',
    prepare(rng, hasSignal) {
      const x = spaced(4.98e9, 5.02e9, 101)
      const [center, width] = [between(rng, 4.985e9, 5.015e9), logBetween(rng, 1, 6) * MHZ]
      const height = hasSignal ? between(rng, 0.2, 0.5) : 0
      const y = measured(rng, x, 0.02, (f) => 0.05 + height / (1 + ((f - center) / (width / 2)) ** 2))
      return () => compare(finished(fitLorentzian(x, y)), { center: [center, 0.15 * width] })
    },
  },
  {
    name: 'resonator in the complex plane, 101 points',
    tolerance: 'center 0.1 κ, κ 15 %',
    prepare(rng, hasSignal) {
      const x = spaced(6.795e9, 6.805e9, 101)
      const [center, kappa] = [between(rng, 6.7972e9, 6.8028e9), between(rng, 0.36, 0.6) * MHZ]
      const depth = hasSignal ? between(rng, 0.3, 0.85) : 0
      const [phi, theta, delay] = [between(rng, -0.5, 0.5), between(rng, -3, 3), between(rng, 40e-9, 260e-9)]
      const points = x.map((f) => {
        const angle = theta - 2 * Math.PI * delay * (f - 6.8e9)
        const t = (2 * (f - center)) / kappa
        // depth·e^{iφ}/(1 + it)
        const [a, b] = [depth * Math.cos(phi), depth * Math.sin(phi)]
        const [re, im] = [1 - (a + b * t) / (1 + t * t), -(b - a * t) / (1 + t * t)]
        return {
          re: re * Math.cos(angle) - im * Math.sin(angle),
          im: re * Math.sin(angle) + im * Math.cos(angle),
        }
      })
      const series = {
        re: measured(rng, points, 0.03, ({ re }) => re),
        im: measured(rng, points, 0.03, ({ im }) => im),
      }
      const wanted = { center: [center, 0.1 * kappa], linewidth: [kappa, 0.15 * kappa] } as const
      return () => compare(finished(fitResonator(x, series)), wanted)
    },
  },
  {
    name: 'step with rise, 2,000 points',
    tolerance: 'arrival 8 ns',
    prepare(rng, hasSignal) {
      const x = Array.from({ length: 2_000 }, (_, at) => at * 1e-9)
      const [arrival, rise] = [between(rng, 100e-9, 400e-9), between(rng, 20e-9, 350e-9)]
      const height = hasSignal ? between(rng, 0.5, 1.5) : 0
      const y = measured(rng, x, 0.08, (t) => (t < arrival ? 0 : height * -Math.expm1((arrival - t) / rise)))
      return () =>
        compare(finished(fitStep(x, y, { name: 'signal', unit: 'V' })), { arrival: [arrival, 8e-9] })
    },
  },
  {
    name: 'Rabi cosine, 61 points',
    tolerance: 'π amplitude 3 %',
    prepare(rng, hasSignal) {
      const x = spaced(0, 0.5, 61)
      const [half, contrast] = [logBetween(rng, 0.05, 0.45), hasSignal ? between(rng, 0.5, 0.95) : 0]
      const y = measured(rng, x, 0.03, (a) => 0.5 - (contrast / 2) * Math.cos((Math.PI * a) / half))
      return () => compare(finished(fitCosine(x, y)), { half_period: [half, 0.03 * half] })
    },
  },
  {
    name: 'Rabi oscillation of a line that compresses, 61 points',
    tolerance: 'π amplitude 3 %',
    prepare(rng, hasSignal) {
      const x = spaced(0, 1, 61)
      const [half, contrast] = [logBetween(rng, 0.1, 0.8), hasSignal ? between(rng, 0.5, 0.95) : 0]
      const compression = between(rng, 0, 0.1)
      const turnOf = (a: number) => a * (1 - compression * a ** 2)
      const y = measured(
        rng,
        x,
        0.03,
        (a) => 0.5 - (contrast / 2) * Math.cos((Math.PI * turnOf(a)) / turnOf(half)),
      )
      return () =>
        compare(finished(fitRabi(x, y, { name: 'signal', unit: 'V' })), { half_period: [half, 0.03 * half] })
    },
  },
  {
    name: 'damped cosine, 81 points',
    tolerance: 'frequency 2 % or 5 kHz',
    prepare(rng, hasSignal) {
      const x = spaced(4e-9, 10e-6, 81)
      const [f, decay] = [logBetween(rng, 0.15, 2.5) * MHZ, logBetween(rng, 3e-6, 30e-6)]
      const [contrast, phase] = [hasSignal ? between(rng, 0.5, 0.95) : 0, between(rng, -0.3, 0.3)]
      const wave = (t: number) => Math.exp(-t / decay) * Math.cos(2 * Math.PI * f * t + phase)
      const y = measured(rng, x, 0.04, (t) => 0.5 + (contrast / 2) * wave(t))
      return () =>
        compare(finished(fitDampedCosine(x, y, { wanted: 'frequency' })), {
          frequency: [f, Math.max(5e3, 0.02 * f)],
        })
    },
  },
  {
    name: 'exponential, 41 points',
    tolerance: 'decay 20 %',
    prepare(rng, hasSignal) {
      const x = spaced(0, 200e-6, 41)
      const [decay, height] = [logBetween(rng, 20e-6, 90e-6), hasSignal ? between(rng, 0.6, 0.95) : 0]
      const y = measured(rng, x, 0.025, (t) => 0.03 + height * Math.exp(-t / decay))
      return () => compare(finished(fitExponential(x, y)), { decay: [decay, 0.2 * decay] })
    },
  },
  {
    name: 'benchmarking, base pinned, 9 points',
    tolerance: 'error per Clifford 15 %',
    prepare(rng, hasSignal) {
      const x = [1, 4, 16, 64, 128, 256, 512, 768, 1024]
      const [q, height] = [logBetween(rng, 4e-4, 6e-3), hasSignal ? between(rng, 0.44, 0.49) : 0]
      const y = measured(rng, x, 0.008, (m) => 0.5 + height * (1 - q) ** m)
      const samples = Array.from(y, (value) => [value])
      return () =>
        compare(finished(fitBenchmarking(x, samples)), { error_per_clifford: [q / 2, 0.15 * (q / 2)] })
    },
  },
  {
    name: 'purity, 8 points',
    tolerance: 'incoherent error 20 %',
    prepare(rng, hasSignal) {
      const x = [1, 4, 16, 64, 128, 256, 512, 768]
      const [u, height] = [1 - logBetween(rng, 8e-4, 8e-3), hasSignal ? between(rng, 0.8, 0.97) : 0]
      const y = measured(rng, x, 0.015, (m) => height * u ** (m - 1))
      const incoherent = (1 - Math.sqrt(u)) / 2
      const samples = Array.from(y, (value) => [value])
      return () =>
        compare(finished(fitPurity(x, samples)), { incoherent_error: [incoherent, 0.2 * incoherent] })
    },
  },
  {
    name: 'fringe, 24 points',
    tolerance: 'phase 2°',
    prepare(rng, hasSignal) {
      const x = spaced(0, 2 * Math.PI, 25).slice(0, -1)
      const [phase, contrast] = [between(rng, -2.9, 2.9), hasSignal ? between(rng, 0.7, 0.97) : 0]
      const y = measured(rng, x, 0.016, (angle) => 0.5 + (contrast / 2) * Math.cos(angle - phase))
      return () => compare(finished(fitFringe(x, y)), { phase: [phase, (2 * Math.PI) / 180] })
    },
  },
  {
    name: 'DRAG, 41 points × 3 counts',
    tolerance: 'optimum 0.005',
    prepare(rng, hasSignal) {
      const x = spaced(-0.3, 0.3, 41)
      const [optimum, curvature] = [between(rng, -0.2, 0.2), between(rng, 0.25, 0.8)]
      const contrast = hasSignal ? between(rng, 0.8, 0.97) : 0
      const rows = [1, 7, 13].map((count) => ({
        count,
        populations: measured(rng, x, 0.02, (m) => {
          const decay = Math.exp(-count / 250)
          return (
            0.5 - (decay * contrast) / 2 + contrast * decay * Math.sin(count * curvature * (m - optimum)) ** 2
          )
        }),
      }))
      return () => compare(finished(fitDrag(x, rows)), { optimum: [optimum, 0.005] })
    },
  },
  {
    name: 'fine amplitude, 31 points × 4 counts',
    tolerance: 'relative error 0.15 %',
    prepare(rng, hasSignal) {
      const x = spaced(-0.05, 0.05, 31)
      const [e, first] = [between(rng, -0.012, 0.012), between(rng, -0.02, 0.02)]
      const contrast = hasSignal ? between(rng, 0.85, 0.97) : 0
      const rows = [1, 7, 13, 19].map((count) => ({
        count,
        populations: measured(rng, x, 0.02, (d) => {
          const angle = Math.PI * (count + 0.5) * (1 + d - e) + first
          return 0.5 - (contrast * Math.exp(-count / 500) * Math.cos(angle)) / 2
        }),
      }))
      return () => compare(finished(fitFineAmplitude(x, rows)), { relative_error: [e, 0.0015] })
    },
  },
  {
    name: 'fine amplitude of X90, 31 points × 4 counts',
    tolerance: 'relative error 0.15 %',
    prepare(rng, hasSignal) {
      const x = spaced(-0.05, 0.05, 31)
      const [e, contrast] = [between(rng, -0.015, 0.015), hasSignal ? between(rng, 0.85, 0.97) : 0]
      const rows = [1, 5, 13, 25].map((count) => ({
        count,
        populations: measured(rng, x, 0.02, (d) => {
          return 0.5 - (contrast * Math.cos((Math.PI / 2) * count * (1 + d - e))) / 2
        }),
      }))
      return () => compare(finished(fitFineAmplitude(x, rows, 'x90')), { relative_error: [e, 0.0015] })
    },
  },
]
