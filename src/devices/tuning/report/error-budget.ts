import { BOUND_CONFIDENCE, boundAbove } from '../../fitting/models/benchmarking/decay-bound.ts'

/** A part of a budget: a value with its standard error where that is known, or an upper bound of 95 %. */
export type Figure =
  | { readonly value: number; readonly error?: number | undefined }
  | { readonly below: number }

/** Relaxation and dephasing of one qubit, s. */
interface Coherence {
  readonly t1?: { readonly value: number; readonly error?: number | undefined } | undefined
  readonly t2?: { readonly value: number; readonly error?: number | undefined } | undefined
}

interface BudgetInput {
  /** By randomized benchmarking. */
  readonly measured: Figure
  readonly gateDuration: number | undefined
  readonly qubits: readonly Coherence[]
  /** What loss of coherence of any kind causes, by purity benchmarking. */
  readonly incoherent: Figure | undefined
  /** Population that leaves the qubit. */
  readonly leakage: Figure | undefined
  /** Error of the assignment of a state, per readout. */
  readonly readout: Figure | undefined
}

/**
 * What the errors of a gate consist of, each an error per gate beside its standard error (`…_error`). A part
 * that is not resolved has no value; `upper_bounds` has what it is below with the probability `confidence`.
 * Parts that were not measured are absent.
 */
export type ErrorBudget = Readonly<Record<string, number | Readonly<Record<string, number>>>>

/** Standard errors that a part has to be above zero to be a value. */
const RESOLVED = 2

/**
 * Average error of a gate of `duration` s that only relaxation and dephasing cause, to first order: for one
 * qubit t/3 (1/T2 + 1/(2 T1)), for two 2t/5 (sum of 1/T2 + 1/(2 T1)). Abad et al., Phys. Rev. Lett. 129,
 * 150504 (2022): F = 1 - d / (2 (d + 1)) t (sum of 1/T1 + 1/Tphi), with 1/Tphi = 1/T2 - 1/(2 T1). Its error
 * is undefined unless those of all times are known.
 */
export function coherenceLimit(
  duration: number,
  qubits: readonly Coherence[],
): { value: number; error: number | undefined } | undefined {
  let [rates, variance] = [0, 0]
  for (const { t1, t2 } of qubits) {
    if (t1 === undefined || t2 === undefined) return undefined
    rates += 1 / t2.value + 1 / (2 * t1.value)
    variance +=
      ((t2.error ?? Number.NaN) / t2.value ** 2) ** 2 + ((t1.error ?? Number.NaN) / (2 * t1.value ** 2)) ** 2
  }
  const dimension = 2 ** qubits.length
  const factor = (dimension / (2 * (dimension + 1))) * duration
  return { value: factor * rates, error: Number.isNaN(variance) ? undefined : factor * Math.sqrt(variance) }
}

/** The error budget of a gate; what was not measured is absent. */
export function errorBudget(input: BudgetInput): ErrorBudget {
  const { measured, gateDuration, qubits, incoherent, leakage, readout } = input
  const limit = gateDuration === undefined ? undefined : coherenceLimit(gateDuration, qubits)
  const coherent = restOf(measured, resolvedOf(incoherent) ?? sumOf(limit, leakage))
  const parts = { measured, coherence_limit: limit, incoherent, leakage, coherent, readout }
  const bounds = Object.entries(parts).flatMap(([name, part]) =>
    part && 'below' in part ? [[name, part.below] as const] : [],
  )
  return {
    ...Object.assign({}, ...Object.entries(parts).map(([name, part]) => entriesOf(name, part))),
    ...(bounds.length > 0 && { upper_bounds: Object.fromEntries(bounds), confidence: BOUND_CONFIDENCE }),
  }
}

type Value = Exclude<Figure, { below: number }>

function resolvedOf(figure: Figure | undefined): Value | undefined {
  return figure && 'value' in figure ? figure : undefined
}

function entriesOf(name: string, part: Figure | undefined): Record<string, number> {
  const value = resolvedOf(part)
  if (!value) return {}
  return { [name]: value.value, ...(value.error !== undefined && { [`${name}_error`]: value.error }) }
}

/** What relaxation, dephasing and leakage cause together; leakage that is not resolved adds to the error. */
function sumOf(limit: Value | undefined, leakage: Figure | undefined): Value | undefined {
  if (!limit) return undefined
  const lost = leakage && 'below' in leakage ? { value: 0, error: leakage.below / 2 } : leakage
  const errors = [limit.error, lost ? lost.error : 0]
  return {
    value: limit.value + (lost?.value ?? 0),
    error: errors.includes(undefined) ? undefined : Math.hypot(...errors.map((error) => error ?? 0)),
  }
}

/** What the known causes leave of an error; undefined without their errors: it might be all or nothing. */
function restOf(measured: Figure, known: Value | undefined): Figure | undefined {
  if ('below' in measured) return measured
  if (!known || known.error === undefined || measured.error === undefined) return undefined
  const rest = { value: measured.value - known.value, error: Math.hypot(measured.error, known.error) }
  return rest.value > RESOLVED * rest.error ? rest : { below: boundAbove(rest).error }
}

/**
 * Standard errors, and part of the larger value, by which two figures of the same quantity have to differ.
 */
const DISAGREE = { sigmas: 3, share: 0.25 } as const

/** Whether two methods contradict each other about one quantity. */
export function disagree(one: Figure, other: Figure): boolean {
  if ('below' in one) return 'value' in other && exceeds(other, one.below)
  if ('below' in other) return exceeds(one, other.below)
  const distance = Math.abs(one.value - other.value)
  const spread = Math.hypot(one.error ?? 0, other.error ?? 0)
  return distance > DISAGREE.sigmas * spread && distance > DISAGREE.share * Math.max(one.value, other.value)
}

function exceeds({ value, error = 0 }: Value, bound: number): boolean {
  return value - DISAGREE.sigmas * error > bound
}

/** `1.2e-4 ± 3.0e-6`, or `< 2.0e-5 (95 %)`. */
export function figureText(figure: Figure): string {
  if ('below' in figure) return `< ${figure.below.toExponential(1)} (${100 * BOUND_CONFIDENCE} %)`
  const { value, error } = figure
  return error === undefined
    ? value.toExponential(2)
    : `${value.toExponential(2)} ± ${error.toExponential(1)}`
}
