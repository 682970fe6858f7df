import { axisOf, logGrid } from '../../axes.ts'
import { type Estimate, type EstimateFit, type Fit, rejectFit } from '../../fit.ts'
import { fitCurve, lineData } from '../../fit-curve.ts'
import type { Steps } from '../../steps.ts'
import { lineTrace } from '../../trace.ts'

const CANDIDATES = 60
/** Smallest part of the survival that has to decay within the depths: less may be a drift of the readout. */
const MIN_DECAY = 0.02
/** Largest amplitude of a decay from a known base. */
const MAX_AMPLITUDE = 0.6
/** Single-qubit gates per Clifford, decomposed into half and quarter turns. */
export const GATES_PER_CLIFFORD = 1.833

/** A value from a fitted decay, of a fit that gives others. */
interface Decay {
  model: string
  depths: ArrayLike<number>
  signal: ArrayLike<number>
  signalName: string
  /** Value after infinitely many gates. */
  base: number
  /** Depth at which the whole amplitude is left. */
  first: number
}

type DecayNames = 'error_rate' | 'amplitude'

/** Fits base + amplitude·(1 − error_rate)^(depth − first), the base known. */
function* fitDecay({
  model,
  depths,
  signal,
  signalName,
  base,
  first,
}: Decay): Steps<EstimateFit<DecayNames>> {
  const fit = yield* fitCurve<DecayNames>({
    samples: Float64Array.from(signal, (value) => value - base),
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
      upper: [Math.log(0.7), Number.POSITIVE_INFINITY],
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

/**
 * Fits randomized benchmarking, base + amplitude·(1 − error_rate)^depth, to the mean survival at each depth
 * (E. Magesan, J. M. Gambetta and J. Emerson, PRL 106, 180504 (2011)). The base is the survival of a mixed
 * state, 1/2 for one qubit and 1/4 for two; a free base would cost a third of the results.
 * `error_per_clifford` = (1 − 1/d)·error_rate, `error_per_gate` that over 1.833 pulses of a single-qubit
 * Clifford, `fidelity` = 1 − error_per_clifford.
 */
export function* fitBenchmarking(
  depths: ArrayLike<number>,
  survival: ArrayLike<number>,
  qubits: 1 | 2 = 1,
): Steps<BenchmarkingFit> {
  const base = 2 ** -qubits
  const signalName = 'survival'
  const fit = yield* fitDecay({ model: 'benchmarking', depths, signal: survival, signalName, base, first: 0 })
  if (!fit.ok) return fit
  const { error_rate } = fit.values
  const perClifford = scaleEstimate(error_rate, 1 - base)
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
 * Fits purity benchmarking of one qubit, amplitude·unitarity^(depth − 1), to the mean of {@link purityOf} at
 * each depth (J. Wallman et al., New J. Phys. 17, 113020 (2015)). `incoherent_error` = (1 − √unitarity)/2 is
 * the error per Clifford that no better pulse removes.
 */
export function* fitPurity(depths: ArrayLike<number>, purities: ArrayLike<number>): Steps<PurityFit> {
  const fit = yield* fitDecay({
    model: 'purity',
    depths,
    signal: purities,
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
 * Purity of a qubit from the expectation values of X, Y and Z, each from `shots` shots: the sum of their
 * squares without the bias (1 − ⟨P⟩²)/(shots − 1) that the noise of each adds.
 */
export function purityOf(expectations: readonly number[], shots: number): number {
  return expectations.reduce((sum, value) => sum + value ** 2 - (1 - value ** 2) / Math.max(1, shots - 1), 0)
}

/** A fitted growth of the population outside the computational states. */
export type Leakage = Record<'leakage_per_gate' | 'limit' | 'offset', Estimate>

type LeakageFit = Fit<Leakage>

/**
 * Fits the growth of a population outside the computational states, offset + limit·(1 − e^(−rate·depth));
 * wanted is the slope at the start, limit·rate (C. J. Wood and J. M. Gambetta, PRA 97, 032306 (2018)). Growth
 * that does not level off leaves limit and rate undetermined, but not their product.
 */
export function* fitLeakage(depths: ArrayLike<number>, leaked: ArrayLike<number>): Steps<LeakageFit> {
  const deepest = Math.max(1, ...Array.from(depths))
  return yield* fitCurve<'leakage_per_gate' | 'limit' | 'offset'>({
    ...lineData(
      'leakage',
      axisOf({ name: 'depth', unit: '' }, depths),
      axisOf({ name: 'P2', unit: '' }, leaked),
    ),
    parameters: 3,
    curve: () => ({
      linear: 2,
      candidates: logGrid(0.02, 20, CANDIDATES).map((rate) => [rate]),
      lower: [1e-3, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
      upper: [100, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      // In units of the slope: the second basis function rises by 1 per sweep at its start.
      basis:
        ([rate = 1]) =>
        (at, out) => {
          out[0] = 1
          out[1] = -Math.expm1((-rate * (depths[at] as number)) / deepest) / rate
        },
    }),
    describe: ([rate = 1, offset = 0, slope = 0]) => ({
      leakage_per_gate: slope / deepest,
      limit: slope / rate,
      offset,
    }),
    keys: [{ name: 'leakage_per_gate', scale: ({ leakage_per_gate }) => 2 * leakage_per_gate.value }],
  })
}

/**
 * Survivals at a depth as they would be if what left the computational states were mixed among them: the
 * decay then has the base 1/d, although the population of these states shrinks.
 */
export function withoutLeakage(
  depth: number,
  survivals: readonly number[],
  { leakage_per_gate: slope, limit }: Leakage,
  qubits: 1 | 2 = 2,
): number[] {
  const lost = -limit.value * Math.expm1((-slope.value / limit.value) * depth)
  return survivals.map((value) => value + 2 ** -qubits * lost)
}

export function scaleEstimate({ value, error }: Estimate, factor: number): Estimate {
  return { value: value * factor, error: error * factor }
}
