/**
 * Whether a QPU may run a job: the only place that decides it. Missing gates and couplings are no reason to
 * refuse, because devices may route. What of its chip is not calibrated is judged apart: see `unfit-jobs.ts`
 * of `qpus`.
 */
import type { qpus } from '../../collections/qpus.ts'
import type { RecordOf } from '../../schema/collection.ts'

/** What a job needs of a QPU; 0 = unknown, which every QPU has. */
export interface JobNeeds {
  /** Qubits of its largest program. */
  qubits: number
  /** Shots of the circuit with most of them. */
  shots: number
  /** Circuits multiplied by their parameter sets. */
  executions: number
  /** One bit for each feature; see `src/server/qpus/features.ts`. */
  features: number
}

/** What a QPU allows. */
export type QpuLimits = Pick<
  RecordOf<typeof qpus>,
  'num_qubits' | 'described_at' | 'max_qubits' | 'max_shots' | 'max_executions' | 'missing_features'
>

/** One need of a job that a QPU cannot satisfy. */
export type Excess =
  | { kind: 'qubits' | 'shots' | 'executions'; needed: number; max: number }
  /** `missing`: the bits of these features. */
  | { kind: 'features'; missing: number }

/**
 * The largest number of qubits that a QPU runs; undefined without limit. The number of a QPU without
 * description was entered by an administrator, who may have left it at 1.
 */
export function qubitLimit({ num_qubits, described_at, max_qubits }: QpuLimits): number | undefined {
  if (described_at !== '') return max_qubits === 0 ? undefined : max_qubits
  return num_qubits <= 1 ? undefined : num_qubits
}

/** Why a QPU cannot run a job; empty if it can. A job exactly as large as a limit fits. */
export function excessOf(needs: JobNeeds, qpu: QpuLimits): Excess[] {
  const limits = limitsOf(qpu)
  const above = (['qubits', 'shots', 'executions'] as const).flatMap((kind): Excess[] =>
    needs[kind] > limits[kind] ? [{ kind, needed: needs[kind], max: limits[kind] }] : [],
  )
  const missing = needs.features & qpu.missing_features
  return missing === 0 ? above : [...above, { kind: 'features', missing }]
}

/** Whether a job fits one QPU. */
export type Fits = (needs: JobNeeds) => boolean

/** Whether a QPU can run a job: when `excessOf` finds no reason against it. */
export function fitsQpu(needs: JobNeeds, qpu: QpuLimits): boolean {
  return sharedLimits(qpu).fits(needs)
}

/** The decision for many jobs; `key` is that of all QPUs with the same limits. */
export function sharedLimits(qpu: QpuLimits): { key: string; fits: Fits } {
  const { qubits, shots, executions } = limitsOf(qpu)
  const missing = qpu.missing_features
  return {
    key: `${qubits} ${shots} ${executions} ${missing}`,
    fits: (needs) =>
      needs.qubits <= qubits &&
      needs.shots <= shots &&
      needs.executions <= executions &&
      (needs.features & missing) === 0,
  }
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER

function limitsOf(qpu: QpuLimits): Omit<JobNeeds, 'features'> {
  const { max_shots, max_executions } = qpu
  return {
    qubits: qubitLimit(qpu) ?? NO_LIMIT,
    shots: max_shots === 0 ? NO_LIMIT : max_shots,
    executions: max_executions === 0 ? NO_LIMIT : max_executions,
  }
}
