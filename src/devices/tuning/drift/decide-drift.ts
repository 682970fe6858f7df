import type { CalibrationFindings } from '../../../protocol/index.ts'

/** Smallest fidelities of gates. */
export interface FidelityThresholds {
  /** Of one qubit. */
  readonly qubit: number
  /** Of an edge. */
  readonly edge: number
}

/** A target whose gates are worse than its threshold. */
export interface DriftedTarget {
  readonly target: string
  /** Undefined when the benchmark itself failed. */
  readonly fidelity: number | undefined
  readonly threshold: number
}

/** Benchmarks whose fidelity is that of a gate, with the threshold that applies. */
export const GATE_PROTOCOLS: Readonly<Record<string, keyof FidelityThresholds>> = {
  randomized_benchmarking: 'qubit',
  cz_rb: 'edge',
}
/** Without a gate fidelity: the largest root mean square deviation of AllXY. */
const MAX_ALL_XY_RMS = 0.05

/** The targets of a fidelity check that have drifted. */
export function driftedTargets(
  findings: CalibrationFindings,
  thresholds: FidelityThresholds,
): DriftedTarget[] {
  return [...judgeTargets(findings, thresholds).values()].filter((each) => each !== undefined)
}

/**
 * The targets of a fidelity check, each with how it has drifted if it has. Those have whose gate fidelity is
 * below the threshold by more than one standard error, or whose benchmark failed. Only gate fidelities are
 * compared with the thresholds; AllXY decides where no benchmark of gates ran, by a limit of its own.
 */
export function judgeTargets(
  findings: CalibrationFindings,
  thresholds: FidelityThresholds,
): Map<string, DriftedTarget | undefined> {
  const decided = new Map<string, DriftedTarget | undefined>()
  const decide = (drift: DriftedTarget, hasDrifted: boolean) =>
    decided.set(drift.target, hasDrifted ? drift : undefined)
  for (const each of findings.benchmarks ?? []) {
    const kind = GATE_PROTOCOLS[each.protocol]
    if (!kind || typeof each.fidelity !== 'number') continue
    const { target, fidelity } = each
    const error = typeof each['fidelity_error'] === 'number' ? each['fidelity_error'] : 0
    decide({ target, fidelity, threshold: thresholds[kind] }, fidelity < thresholds[kind] - error)
  }
  for (const { routine, target, status } of findings.routines ?? []) {
    const kind = GATE_PROTOCOLS[routine]
    if (kind && status === 'failed')
      decide({ target, fidelity: undefined, threshold: thresholds[kind] }, true)
  }
  for (const { target, error } of allXyOf(findings)) {
    const drift = { target, fidelity: undefined, threshold: thresholds.qubit }
    if (!decided.has(target)) decide(drift, error > MAX_ALL_XY_RMS)
  }
  return decided
}

function allXyOf({ benchmarks = [] }: CalibrationFindings): { target: string; error: number }[] {
  return benchmarks.flatMap(({ protocol, target, error }) =>
    protocol === 'all_xy' && typeof error === 'number' ? [{ target, error }] : [],
  )
}
