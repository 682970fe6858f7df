/** What the errors of a gate consist of; each is an error per gate, undefined when it was not measured. */
export interface ErrorBudget {
  /** By randomized benchmarking. */
  readonly measured: number
  /** What relaxation and dephasing alone cause in the time of the gate. */
  readonly coherence_limit?: number
  /** What loss of coherence of any kind causes, by purity benchmarking. */
  readonly incoherent?: number
  /** Population that leaves the qubit. */
  readonly leakage?: number
  /** What remains: errors of the pulses. */
  readonly coherent?: number
  /** Error of the assignment of a state, per readout. */
  readonly readout?: number
}

/** Relaxation and dephasing of one qubit, s. */
interface Coherence {
  readonly t1?: number | undefined
  readonly t2?: number | undefined
}

/**
 * Average error of a gate of `duration` s that only relaxation and dephasing cause, to first order: for one
 * qubit t/3 (1/T2 + 1/(2 T1)), for two 2t/5 (sum of 1/T2 + 1/(2 T1)). Abad et al., Phys. Rev. Lett. 129,
 * 150504 (2022): F = 1 - d / (2 (d + 1)) t (sum of 1/T1 + 1/Tphi), with 1/Tphi = 1/T2 - 1/(2 T1).
 */
export function coherenceLimit(duration: number, qubits: readonly Coherence[]): number | undefined {
  let rates = 0
  for (const { t1, t2 } of qubits) {
    if (t1 === undefined || t2 === undefined) return undefined
    rates += 1 / t2 + 1 / (2 * t1)
  }
  const dimension = 2 ** qubits.length
  return (dimension / (2 * (dimension + 1))) * duration * rates
}

interface BudgetInput {
  readonly measured: number
  readonly gateDuration: number | undefined
  readonly qubits: readonly Coherence[]
  readonly incoherent: number | undefined
  readonly leakage: number | undefined
  readonly readout: number | undefined
}

/** The error budget of a gate; what was not measured is absent. */
export function errorBudget(input: BudgetInput): ErrorBudget {
  const { measured, gateDuration, qubits, incoherent, leakage, readout } = input
  const limit = gateDuration === undefined ? undefined : coherenceLimit(gateDuration, qubits)
  const known = incoherent ?? (limit === undefined ? undefined : limit + (leakage ?? 0))
  return {
    measured,
    ...(limit !== undefined && { coherence_limit: limit }),
    ...(incoherent !== undefined && { incoherent }),
    ...(leakage !== undefined && { leakage }),
    ...(known !== undefined && { coherent: Math.max(0, measured - known) }),
    ...(readout !== undefined && { readout }),
  }
}
