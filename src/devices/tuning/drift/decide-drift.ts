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

type Benchmark = NonNullable<CalibrationFindings['benchmarks']>[number]

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
  const decide = ({ target, fidelity, threshold }: DriftedTarget, hasDrifted: boolean) =>
    decided.set(target, hasDrifted ? { target, fidelity, threshold } : undefined)
  for (const each of findings.benchmarks ?? []) {
    const kind = GATE_PROTOCOLS[each.protocol]
    const found = kind && gateDrift(each, thresholds[kind])
    if (found) decide(found, found.hasDrifted)
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

/** What a benchmark of a gate says; undefined without a fidelity and a bound. */
function gateDrift(
  { target, fidelity, ...rest }: Benchmark,
  threshold: number,
): (DriftedTarget & { hasDrifted: boolean }) | undefined {
  // An error that is too small to be resolved is no drift.
  if (rest.upper_bound) return { target, fidelity: undefined, threshold, hasDrifted: false }
  if (typeof fidelity !== 'number') return undefined
  const error = typeof rest['fidelity_error'] === 'number' ? rest['fidelity_error'] : 0
  return { target, fidelity, threshold, hasDrifted: fidelity < threshold - error }
}

function allXyOf({ benchmarks = [] }: CalibrationFindings): { target: string; error: number }[] {
  return benchmarks.flatMap(({ protocol, target, error }) =>
    protocol === 'all_xy' && typeof error === 'number' ? [{ target, error }] : [],
  )
}
