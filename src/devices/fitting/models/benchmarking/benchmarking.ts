import { axisOf, logGrid } from '../../axes.ts'
import { type Estimate, type EstimateFit, rejectFit } from '../../fit.ts'
import { fitCurve } from '../../fit-curve.ts'
import type { Steps } from '../../steps.ts'
import { lineTrace } from '../../trace.ts'
import { jackknifeErrors, meansOf, type SequenceSamples, spreadsOf, withoutSeed } from './sequences.ts'

/** Largest rate that is looked for. */
const MAX_RATE = 0.7
const CANDIDATES = 60
/** Smallest part of the survival that has to decay within the depths: less may be a drift of the readout. */
const MIN_DECAY = 0.02
/** Largest amplitude of a decay from a known base. */
const MAX_AMPLITUDE = 0.6
/** Single-qubit gates per Clifford, decomposed into half and quarter turns. */
export const GATES_PER_CLIFFORD = 1.833

/** A decay of random sequences. */
interface Decay {
  model: string
  depths: ArrayLike<number>
  samples: SequenceSamples
  signalName: string
  /** Value after infinitely many gates. */
  base: number
  /** Depth at which the whole amplitude is left. */
  first: number
}

type DecayNames = 'error_rate' | 'amplitude'
type DecayFit = EstimateFit<DecayNames>

/** {@link fitMeans}, the standard error of the rate from the scatter of the sequences. */
function* fitDecay(decay: Decay): Steps<DecayFit> {
  const fit = yield* fitMeans(decay)
  if (!fit.ok) return fit
  const errors = yield* jackknifeErrors<'rate'>(decay.samples[0]?.length ?? 0, function* (seed) {
    const without = yield* fitMeans({ ...decay, samples: withoutSeed(decay.samples, seed) })
    return without.ok ? { rate: without.values.error_rate.value } : undefined
  })
  if (!errors) return fit
  const { error_rate } = fit.values
  return { ...fit, values: { ...fit.values, error_rate: { ...error_rate, error: errors.rate } } }
}

/**
 * Fits base + amplitude·(1 − error_rate)^(depth − first), the base known, to the mean at each depth, each
 * with the weight that the scatter of its sequences gives it.
 */
function* fitMeans({ model, depths, samples, signalName, base, first }: Decay): Steps<DecayFit> {
  const signal = meansOf(samples)
  const spreads = spreadsOf(samples)
  const fit = yield* fitCurve<DecayNames>({
    samples: Float64Array.from(signal, (value) => value - base),
    ...(spreads && { spreads }),
    swept: depths,
    trace: (predicted, estimates) => {
      const [x, y] = [
        axisOf({ name: 'depth', unit: '' }, depths),
        axisOf({ name: signalName, unit: '' }, signal),
      ]
      return lineTrace({ model, x, y, curve: predicted?.map((value) => value + base), estimates })
    },
    parameters: 2,
    curve: () => ({
      linear: 1,
      // The logarithm of the rate is of order 1 over six decades, and keeps the rate positive.
      candidates: logGrid(1e-6, 0.3, CANDIDATES).map((rate) => [Math.log(rate)]),
      lower: [Math.log(1e-7), Number.NEGATIVE_INFINITY],
      upper: [Math.log(MAX_RATE), Number.POSITIVE_INFINITY],
      basis([logRate = 0]) {
        const perGate = Math.log1p(-Math.exp(logRate))
        return (at, out) => {
          out[0] = Math.exp(perGate * ((depths[at] as number) - first))
        }
      },
    }),
    describe: ([logRate = 0, amplitude = 0]) => ({ error_rate: Math.exp(logRate), amplitude }),
    keys: [{ name: 'error_rate' }],
    implausible: ({ amplitude }) =>
      Math.abs(amplitude.value) - 2 * amplitude.error <= Math.max(MAX_AMPLITUDE, 1.2 * (1 - base))
        ? undefined
        : `The survival starts ${amplitude.value.toFixed(3)} above its base of ${base}`,
  })
  if (!fit.ok) return fit
  // At the end of the range a rate has no standard error: two of them would make a gate without any.
  if (fit.values.error_rate.value > 0.99 * MAX_RATE)
    return rejectFit('unresolved', 'The signal is gone within the first gates', fit)
  const deepest = Math.max(...Array.from(depths))
  const decayed = 1 - (1 - fit.values.error_rate.value) ** (deepest - first)
  if (decayed >= MIN_DECAY) return fit
  const percent = (100 * decayed).toFixed(1)
  return rejectFit(
    'no_signal',
    `Only ${percent} % decays within the depths; needed are ${100 * MIN_DECAY} %`,
    fit,
  )
}

type BenchmarkingNames = DecayNames | 'error_per_clifford' | 'fidelity'
export type BenchmarkingFit = EstimateFit<BenchmarkingNames | 'error_per_gate'>

/** What a benchmark of sequences knows about its qubits. */
interface BenchmarkingOptions {
  readonly qubits?: 1 | 2
  /** Survival of a mixed state; 1/2 for one qubit and 1/4 for two by default. */
  readonly base?: number
  /** Whether the error of the rate is that of the fit alone, for a caller with sequences of its own. */
  readonly isPart?: boolean
}

/**
 * Fits randomized benchmarking, base + amplitude·(1 − error_rate)^depth, to the survival of sequences of each
 * depth (E. Magesan, J. M. Gambetta and J. Emerson, PRL 106, 180504 (2011)). The base is that of a mixed
 * state; a free base would cost a third of the results. `error_per_clifford` = (1 − 1/d)·error_rate,
 * `error_per_gate` that over 1.833 pulses of a single-qubit Clifford, `fidelity` = 1 − error_per_clifford.
 * @param survival by depth and seed
 */
export function* fitBenchmarking(
  depths: ArrayLike<number>,
  survival: SequenceSamples,
  { qubits = 1, base = 2 ** -qubits, isPart = false }: BenchmarkingOptions = {},
): Steps<BenchmarkingFit> {
  const decay = { model: 'benchmarking', depths, samples: survival, signalName: 'survival', base, first: 0 }
  const fit = yield* isPart ? fitMeans(decay) : fitDecay(decay)
  if (!fit.ok) return fit
  const { error_rate } = fit.values
  const perClifford = scaleEstimate(error_rate, 1 - 2 ** -qubits)
  const values = {
    ...fit.values,
    error_per_clifford: perClifford,
    error_per_gate: scaleEstimate(perClifford, 1 / GATES_PER_CLIFFORD),
    fidelity: { value: 1 - perClifford.value, error: perClifford.error },
  }
  return { ...fit, values }
}

type PurityFit = EstimateFit<DecayNames | 'unitarity' | 'incoherent_error'>

/**
 * Fits purity benchmarking of one qubit, amplitude·unitarity^(depth − 1), to {@link purityOf} of the
 * sequences of each depth (J. Wallman et al., New J. Phys. 17, 113020 (2015)). `incoherent_error` =
 * (1 − √unitarity)/2 is the error per Clifford that no better pulse removes.
 */
export function* fitPurity(depths: ArrayLike<number>, purities: SequenceSamples): Steps<PurityFit> {
  const fit = yield* fitDecay({
    model: 'purity',
    depths,
    samples: purities,
    signalName: 'purity',
    base: 0,
    first: 1,
  })
  if (!fit.ok) return fit
  const { value, error } = fit.values.error_rate
  const root = Math.sqrt(1 - value)
  const values = {
    ...fit.values,
    unitarity: { value: 1 - value, error },
    incoherent_error: { value: (1 - root) / 2, error: error / (4 * root) },
  }
  return { ...fit, values }
}

/**
 * Purity of a qubit from two independent measurements of X, Y and Z: the sum of their products. Squares would
 * add the noise of each, of shots and of the readout.
 */
export function purityOf(expectations: readonly number[], again: readonly number[]): number {
  return expectations.reduce((sum, value, at) => sum + value * (again[at] ?? Number.NaN), 0)
}

export function scaleEstimate({ value, error }: Estimate, factor: number): Estimate {
  return { value: value * factor, error: error * factor }
}
