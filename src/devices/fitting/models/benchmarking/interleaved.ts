import { type Estimate, type EstimateFit, rejectFit } from '../../fit.ts'
import { type BenchmarkingFit, scaleEstimate } from './benchmarking.ts'
import { boundAbove, type ErrorBound } from './decay-bound.ts'

/** Standard errors by which a decay with the gate may be slower than without. */
const MAX_EXCESS = 3
/** Standard errors that an error has to be above zero to be a value; otherwise it is a bound. */
const RESOLVED = 2

type InterleavedFit = EstimateFit<'gate_error' | 'fidelity' | 'reference_error' | 'interleaved_error'>

/**
 * Error of one gate by interleaved benchmarking, (1 − 1/d)·(1 − p_interleaved/p_reference) of two fits (E.
 * Magesan et al., PRL 109, 080505 (2012)). Rejected as `implausible` when the decay with the gate is slower
 * than without by more than 2 standard errors.
 * @param leakage what the gate takes out of the computational states, of which 1/d counts as error beside
 *   the decay within them (C. J. Wood and J. M. Gambetta, PRA 97, 032306 (2018))
 */
export function combineInterleaved(
  reference: BenchmarkingFit,
  interleaved: BenchmarkingFit,
  qubits: 1 | 2 = 2,
  leakage: Estimate = { value: 0, error: 0 },
): InterleavedFit {
  if (!reference.ok) return { ...reference, message: `Reference: ${reference.message}` }
  if (!interleaved.ok) return { ...interleaved, message: `Interleaved: ${interleaved.message}` }
  const [a, b] = [reference.values.error_rate, interleaved.values.error_rate]
  const ratio = (1 - b.value) / (1 - a.value)
  const error = ratio * Math.hypot(a.error / (1 - a.value), b.error / (1 - b.value))
  if (ratio - 1 > MAX_EXCESS * error) {
    return rejectFit('implausible', 'The survival decays slower with the gate than without', interleaved)
  }
  const mixed = 2 ** -qubits
  const within = scaleEstimate({ value: 1 - ratio, error }, 1 - mixed)
  const gate = {
    value: within.value + mixed * leakage.value,
    error: Math.hypot(within.error, mixed * leakage.error),
  }
  const values = {
    gate_error: gate,
    fidelity: { value: 1 - gate.value, error: gate.error },
    reference_error: reference.values.error_per_clifford,
    interleaved_error: interleaved.values.error_per_clifford,
  }
  return { ok: true, values, quality: interleaved.quality, fit: interleaved.fit }
}

/** A decay: its fit and, where that does not resolve it, the bound of its rate. */
interface MeasuredDecay {
  readonly fit: BenchmarkingFit
  readonly bound: ErrorBound | undefined
}

/**
 * Upper bound of the error of an interleaved gate that is not resolved: the decay without the gate is as fast
 * as with it within the errors, or one of them is too slow to be seen. A gate has at most the error of the
 * decay that includes it. Undefined when the error is resolved, or when nothing bounds it.
 */
export function boundInterleaved(
  reference: MeasuredDecay,
  interleaved: MeasuredDecay,
  qubits: 1 | 2 = 2,
  leakage: Estimate = { value: 0, error: 0 },
): ErrorBound | undefined {
  const mixed = 2 ** -qubits
  const gate = combineInterleaved(reference.fit, interleaved.fit, qubits, leakage)
  if (gate.ok) {
    const { value, error } = gate.values.gate_error
    return value > RESOLVED * error ? undefined : boundAbove({ value, error })
  }
  if (gate.code === 'implausible' || (!reference.fit.ok && !reference.bound)) return undefined
  const whole = interleaved.fit.ok ? boundAbove(interleaved.fit.values.error_rate) : interleaved.bound
  if (!whole) return undefined
  return { ...whole, error: (1 - mixed) * whole.error + mixed * boundAbove(leakage).error }
}
