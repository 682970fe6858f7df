import { type Estimate, type EstimateFit, rejectFit } from '../../fit.ts'
import type { Steps } from '../../steps.ts'
import { type BenchmarkingFit, fitBenchmarking, scaleEstimate } from './benchmarking.ts'
import { boundAbove, boundDecay, type ErrorBound } from './decay-bound.ts'
import { fitLeakage, type Leakage, withoutLeakage } from './leakage.ts'
import { jackknifeErrors, type SequenceSamples, withoutSeed } from './sequences.ts'

/** Standard errors by which a decay with the gate may be slower than without. */
const MAX_EXCESS = 3
/** Standard errors that an error has to be above zero to be a value; otherwise it is a bound. */
const RESOLVED = 2
const NONE: Estimate = { value: 0, error: 0 }

/** Random sequences without or with the gate; the seeds of both are the same. */
export interface Sequences {
  readonly depths: readonly number[]
  readonly survival: SequenceSamples
  /** Population outside the computational states, where it is measured. */
  readonly leaked?: SequenceSamples
}

interface Options {
  readonly qubits: 1 | 2
  /** Survival of a mixed state, as it is read. */
  readonly base: number
}

type GateFit = EstimateFit<'gate_error' | 'fidelity' | 'reference_error' | 'interleaved_error'>

/** What interleaved benchmarking finds. */
interface Interleaved {
  readonly gate: GateFit
  /** In place of an error that is not resolved. */
  readonly upperBound: ErrorBound | undefined
  /** Undefined when it is not measured, or not seen. */
  readonly leakage: Estimate | undefined
  readonly reference: BenchmarkingFit
  readonly interleaved: BenchmarkingFit
}

/**
 * Error of one gate by interleaved benchmarking, (1 − 1/d)·(1 − p_interleaved/p_reference) of two decays (E.
 * Magesan et al., PRL 109, 080505 (2012)), plus 1/d of what the gate takes out of the computational states
 * (C. J. Wood and J. M. Gambetta, PRA 97, 032306 (2018)). The standard errors are those of the whole estimate
 * over the seeds. An error of less than two of them is an upper bound instead.
 */
export function* fitInterleaved(
  reference: Sequences,
  interleaved: Sequences,
  options: Options,
): Steps<Interleaved> {
  const whole = yield* estimate(reference, interleaved, options)
  const seeds = reference.survival[0]?.length ?? 0
  const errors = yield* jackknifeErrors<'gate' | 'leakage'>(seeds, function* (seed) {
    const part = yield* estimate(leaveOut(reference, seed), leaveOut(interleaved, seed), options)
    const { gate, leakage = NONE } = part
    return gate.ok ? { gate: gate.values.gate_error.value, leakage: leakage.value } : undefined
  })
  const leakage = whole.leakage && { ...whole.leakage, ...(errors && { error: errors.leakage }) }
  const decays = { reference: whole.reference.fit, interleaved: whole.interleaved.fit }
  const gate = errors ? combineInterleaved(decays, options, leakage, errors.gate) : whole.gate
  return {
    ...decays,
    gate,
    upperBound: boundOf({ ...whole, gate, leakage }, options),
    leakage: leakage && { ...leakage, value: Math.max(0, leakage.value) },
  }
}

function leaveOut({ depths, survival, leaked }: Sequences, seed: number): Sequences {
  return {
    depths,
    survival: withoutSeed(survival, seed),
    ...(leaked && { leaked: withoutSeed(leaked, seed) }),
  }
}

/** A decay: its fit and, where that does not resolve it, the bound of its rate. */
interface MeasuredDecay {
  readonly fit: BenchmarkingFit
  readonly bound: ErrorBound | undefined
}

interface Estimated {
  readonly reference: MeasuredDecay
  readonly interleaved: MeasuredDecay
  readonly gate: GateFit
  /** What the gate adds to the growth outside the computational states per step. */
  readonly leakage: Estimate | undefined
}

function* estimate(reference: Sequences, interleaved: Sequences, options: Options): Steps<Estimated> {
  const growths = yield* growthsOf(reference, interleaved)
  const [plain, including] = [
    yield* fitWithin(reference, growths?.[0], options),
    yield* fitWithin(interleaved, growths?.[1], options),
  ]
  const leakage = growths && addedLeakage(growths)
  const decays = { reference: plain.fit, interleaved: including.fit }
  const gate = combineInterleaved(decays, options, leakage)
  return { reference: plain, interleaved: including, gate, leakage }
}

/** How the population outside grows without and with the gate; undefined when one of them is not seen. */
function* growthsOf(
  reference: Sequences,
  interleaved: Sequences,
): Steps<readonly [reference: Leakage, interleaved: Leakage] | undefined> {
  if (!reference.leaked || !interleaved.leaked) return undefined
  const plain = yield* fitLeakage(reference.depths, reference.leaked)
  if (!plain.ok) return undefined
  const including = yield* fitLeakage(interleaved.depths, interleaved.leaked)
  return including.ok ? [plain.values, including.values] : undefined
}

function addedLeakage([plain, including]: readonly [Leakage, Leakage]): Estimate {
  const [without, whole] = [plain.leakage_per_gate, including.leakage_per_gate]
  return { value: whole.value - without.value, error: Math.hypot(whole.error, without.error) }
}

/** The decay within the computational states. */
function* fitWithin(
  { depths, survival }: Sequences,
  growth: Leakage | undefined,
  { qubits, base }: Options,
): Steps<MeasuredDecay> {
  const kept = growth
    ? survival.map((all, at) => withoutLeakage(depths[at] ?? 0, all, growth, base))
    : survival
  const fit = yield* fitBenchmarking(depths, kept, { qubits, base, isPart: true })
  return { fit, bound: boundDecay(depths, kept, base) }
}

/**
 * The error of the gate from two decays. Rejected as `implausible` when the decay with the gate is slower
 * than without by more than 3 standard errors.
 * @param leakage what the gate takes out of the computational states, of which 1/d counts as error
 * @param error standard error of the result; that which follows from the fits, if absent
 */
export function combineInterleaved(
  { reference, interleaved }: Record<'reference' | 'interleaved', BenchmarkingFit>,
  { qubits }: Pick<Options, 'qubits'>,
  leakage = NONE,
  error?: number,
): GateFit {
  if (!reference.ok) return { ...reference, message: `Reference: ${reference.message}` }
  if (!interleaved.ok) return { ...interleaved, message: `Interleaved: ${interleaved.message}` }
  const [a, b] = [reference.values.error_rate, interleaved.values.error_rate]
  const mixed = 2 ** -qubits
  const ratio = (1 - b.value) / (1 - a.value)
  const spread = ratio * Math.hypot(a.error / (1 - a.value), b.error / (1 - b.value))
  const within = scaleEstimate({ value: 1 - ratio, error: spread }, 1 - mixed)
  const gate = {
    value: within.value + mixed * leakage.value,
    error: error ?? Math.hypot(within.error, mixed * leakage.error),
  }
  if (-gate.value > MAX_EXCESS * gate.error) {
    return rejectFit('implausible', 'The survival decays slower with the gate than without', interleaved)
  }
  const values = {
    gate_error: gate,
    fidelity: { value: 1 - gate.value, error: gate.error },
    reference_error: reference.values.error_per_clifford,
    interleaved_error: interleaved.values.error_per_clifford,
  }
  return { ok: true, values, quality: interleaved.quality, fit: interleaved.fit }
}

/**
 * Upper bound of the error of an interleaved gate that is not resolved: the decay without the gate is as fast
 * as with it within the errors, or one of them is too slow to be seen. A gate has at most the error of the
 * decay that includes it. Undefined when the error is resolved, or when nothing bounds it.
 */
function boundOf(
  { reference, interleaved, gate, leakage = NONE }: Estimated,
  { qubits }: Options,
): ErrorBound | undefined {
  if (gate.ok) {
    const { value, error } = gate.values.gate_error
    return value > RESOLVED * error ? undefined : boundAbove({ value, error })
  }
  if (gate.code === 'implausible' || (!reference.fit.ok && !reference.bound)) return undefined
  const whole = interleaved.fit.ok ? boundAbove(interleaved.fit.values.error_rate) : interleaved.bound
  if (!whole) return undefined
  const mixed = 2 ** -qubits
  return { ...whole, error: (1 - mixed) * whole.error + mixed * boundAbove(leakage).error }
}
