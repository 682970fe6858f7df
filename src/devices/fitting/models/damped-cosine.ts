import { axisOf, DELAY, extentOf, type Label, POPULATION, pairs, stepGrid } from '../axes.ts'
import { type Estimate, type EstimateFit, rejectFit } from '../fit.ts'
import { fitCurve, lineData } from '../fit-curve.ts'
import type { Steps } from '../steps.ts'
import { lineTrace } from '../trace.ts'
import { maxCycles } from './cosine.ts'

/** Fewest cycles in the sweep of the start values, and the step between them. */
const MIN_CYCLES = 0.25
const CYCLE_STEP = 0.2
/** Decay times of the start values, in spans of the sweep. */
const START_DECAYS = [0.25, 1, 4]
/** Longest decay that a sweep resolves, in its spans. */
const MAX_SPANS = 3

type Names = 'frequency' | 'decay' | 'contrast' | 'phase' | 'offset'
type DampedCosineFit = EstimateFit<Names>

/**
 * Fits Ramsey fringes, offset + e^(−t/decay)·(a·cos 2πft + b·sin 2πft); times in s or what else `x` says.
 * `wanted` says which value decides about acceptance: the frequency (at most 0.95 of the Nyquist frequency),
 * or the decay T2*, which has to be at most 3 times the length of the sweep. `implausible` says what
 * contradicts physics.
 */
export function* fitDampedCosine(
  times: ArrayLike<number>,
  signal: ArrayLike<number>,
  options: {
    wanted: 'frequency' | 'decay'
    x?: Label
    y?: Label
    implausible?: (values: { frequency: Estimate; decay: Estimate }) => string | undefined
  },
): Steps<DampedCosineFit> {
  const { wanted, x = DELAY, y = POPULATION, implausible } = options
  const fit = yield* fitCurve<Names>({
    ...lineData('damped_cosine', axisOf(x, times), axisOf(y, signal)),
    parameters: 5,
    curve() {
      const { span } = extentOf(times)
      const positions = Float64Array.from(times, (time) => time / span)
      return {
        linear: 3,
        candidates: pairs(stepGrid(MIN_CYCLES, maxCycles(times), CYCLE_STEP), START_DECAYS),
        lower: [0.05, 0.02, ...Array(3).fill(Number.NEGATIVE_INFINITY)],
        upper: [maxCycles(times) / 0.95, 100, ...Array(3).fill(Number.POSITIVE_INFINITY)],
        basis:
          ([cycles = 0, decay = 1]) =>
          (at, out) => {
            const time = positions[at] as number
            const angle = 2 * Math.PI * cycles * time
            const envelope = Math.exp(-time / decay)
            out[0] = 1
            out[1] = envelope * Math.cos(angle)
            out[2] = envelope * Math.sin(angle)
          },
      }
    },
    describe([cycles = 0, decay = 0, offset = 0, a = 0, b = 0]) {
      const { span } = extentOf(times)
      const phase = Math.atan2(-b, a)
      return { frequency: cycles / span, decay: decay * span, contrast: 2 * Math.hypot(a, b), phase, offset }
    },
    keys: [{ name: wanted }],
    ...(implausible && { implausible }),
  })
  return wanted === 'decay' ? withinWindow(fit, times, x) : fit
}

/** Rejects a decay that is longer than 3 times the sweep, which cannot show it. */
export function withinWindow<Name extends string>(
  fit: EstimateFit<Name | 'decay'>,
  times: ArrayLike<number>,
  { unit }: Label,
): EstimateFit<Name | 'decay'> {
  if (!fit.ok) return fit
  const { span } = extentOf(times)
  const { value } = fit.values.decay
  if (value <= MAX_SPANS * span) return fit
  const [found, swept] = [value.toPrecision(3), String(span)].map((text) => `${text} ${unit}`.trim())
  const message = `A decay of ${found} is more than ${MAX_SPANS} times the sweep of ${swept}`
  return rejectFit('edge_of_sweep', message, fit)
}

/** A fringe measured with an artificial detuning, both in Hz. */
interface Fringe {
  artificial: number
  frequency: Estimate
}

/** Standard errors within which the fringes have to agree on one detuning. */
const MAX_DEVIATION = 3
/** Factor by which the next combination of signs has to be worse, as χ², to count as excluded. */
const MIN_CHI2_RATIO = 9

/**
 * Solves the sign of a detuning: a fringe shows only |artificial + detuning|, which leaves two solutions.
 * With at least three artificial detunings, of both signs, one choice of signs lets the fringes agree.
 * Rejected as `unresolved` when none agrees within 3 standard errors, as with a frequency that jumps between
 * two values, or when two do.
 */
export function solveDetuning(fringes: readonly Fringe[]): EstimateFit<'detuning'> {
  const [best, next] = Array.from({ length: 2 ** fringes.length }, (_, signs) =>
    fringes.map((_, at) => (signs & (1 << at) ? -1 : 1)),
  )
    .map((signs) => combine(fringes, signs))
    .sort((a, b) => a.chi2 - b.chi2)
  if (!best || !next || fringes.length < 3) {
    return rejectFit('no_data', `${fringes.length} fringes; at least 3 decide the sign of a detuning`)
  }
  if (!fringes.every(({ frequency: { value, error } }) => Number.isFinite(value) && Number.isFinite(error))) {
    return rejectFit('no_data', 'A fringe has no finite frequency')
  }
  const { chi2, worst, detuning } = best
  const signed = fringes.map(({ frequency }, at) => (best.signs[at] ?? 1) * frequency.value)
  const artificial = fringes.map((fringe) => fringe.artificial)
  const fit = lineTrace({
    model: 'detuning',
    x: { name: 'artificial detuning', unit: 'Hz', values: artificial },
    y: { name: 'fringe frequency', unit: 'Hz', values: signed },
    curve: artificial.map((value) => value + detuning.value),
    estimates: { detuning },
  })
  const quality = { chi2, chi2_next: next.chi2, points: fringes.length, dof: fringes.length - 1 }
  if (!(worst <= MAX_DEVIATION)) {
    const message = `The fringes disagree on the detuning by ${worst.toPrecision(3)} standard errors`
    return rejectFit('unresolved', message, { quality, fit })
  }
  if (!(next.chi2 > MIN_CHI2_RATIO * Math.max(1, chi2))) {
    const other = Math.round(next.detuning.value)
    const message = `Detunings of ${Math.round(detuning.value)} and ${other} Hz explain the fringes alike`
    return rejectFit('unresolved', message, { quality, fit })
  }
  return { ok: true, values: { detuning }, quality, fit }
}

/** The detuning on which fringes of given signs agree best, weighted by their errors. */
function combine(fringes: readonly Fringe[], signs: readonly number[]) {
  const entries = fringes.map(({ artificial, frequency }, at) => ({
    value: (signs[at] ?? 1) * frequency.value - artificial,
    weight: 1 / Math.max(frequency.error, 1e-9 * Math.abs(frequency.value), Number.EPSILON) ** 2,
  }))
  const total = entries.reduce((sum, { weight }) => sum + weight, 0)
  const value = entries.reduce((sum, entry) => sum + entry.value * entry.weight, 0) / total
  const deviations = entries.map((entry) => Math.abs(entry.value - value) * Math.sqrt(entry.weight))
  const chi2 = deviations.reduce((sum, deviation) => sum + deviation ** 2, 0)
  // Fringes that differ by more than their errors, as of a decay that is no exponential, are known less well.
  const scale = Math.max(1, chi2 / Math.max(1, entries.length - 1))
  return { signs, detuning: { value, error: Math.sqrt(scale / total) }, chi2, worst: Math.max(...deviations) }
}
