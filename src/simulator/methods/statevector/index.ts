import {
  defineMethod,
  type MethodRun,
  type Refusal,
  type ResourceLimits,
  refuseQubits,
  type Workload,
} from '../../define-method.ts'
import { UnsuitableMethodError } from '../../errors.ts'
import { MIN_PARALLEL_QUBITS } from '../../kernel/engine.ts'
import { FORMATS, type Precision } from '../../kernel/layout.ts'
import type { StateOp } from '../../reduction/reduce-circuit.ts'
import { computeOnState } from './exact.ts'
import { runReduced, runWithFeedback } from './run.ts'

/**
 * Amplitude updates per second of one thread of a current processor: measured from 1.2e9 for random circuits
 * to 3e9 for Fourier transforms, see docs/explanation/simulation.md.
 */
const UPDATES_PER_SECOND = 2e9

/** Number of qubits of the state that a workload needs. */
export function stateQubits(workload: Workload): number {
  return workload.usedQubits.length
}

/**
 * Exact simulation of the statevector. Final measurements are sampled, all shots together; mid-circuit
 * measurements split the shots into branches.
 */
export const statevector = defineMethod({
  name: 'statevector',
  hasSinglePrecision: true,
  refuse: refuseNoise,
  exact: {
    refuse: refuseNoise,
    async run(workload, run) {
      const { values, dropped } = await computeOnState(workload, run, assertFitsInto(run.limits, workload))
      // Less is a rounding error.
      const metadata = { threads: run.engine.threadsUsed, ...(dropped > Number.EPSILON && { dropped }) }
      return { values, isExact: true, metadata }
    },
  },
  stateQubits,
  estimateSeconds: secondsOfShot,
  run: runOnState,
})

function refuseNoise(workload: Workload, limits: ResourceLimits): Refusal | undefined {
  if (workload.noise?.channelsAfter)
    return { code: 'noise_not_supported', reason: 'the noise model has gate noise' }
  return refuseSize(stateQubits(workload), limits, workload)
}

/**
 * Refuses a state of `needed` qubits that does not fit into the limits. Each qubit takes `bits` bits of the
 * index of an amplitude: 2 in a density matrix.
 */
export function refuseSize(
  needed: number,
  limits: ResourceLimits,
  { precision, exact }: Pick<Workload, 'precision' | 'exact'>,
  bits = 1,
): Refusal | undefined {
  const mostOf = (format: Precision, mostBits: number) =>
    Math.floor(Math.min(limits.stateQubits, FORMATS[format].maxQubits, mostBits) / bits)
  // The engine always has memory for a block, so that measuring the free memory is unnecessary.
  if (needed <= mostOf(precision, FORMATS[precision].blockQubits)) return undefined
  const fitting = (format: Precision) =>
    mostOf(format, Math.floor(Math.log2(limits.bytes / FORMATS[format].bytes)))
  const inSingle = precision === 'single' || exact ? 0 : fitting('single')
  const remedy = needed <= inSingle ? ` (${inSingle} with precision: single)` : ''
  return refuseQubits(needed, fitting(precision), remedy)
}

/** Estimated time to evolve a state through a circuit once, in s. */
export function secondsOfShot(workload: Workload, { threads }: ResourceLimits): number {
  const qubits = stateQubits(workload)
  const updates = workload.reduced?.ops.reduce((sum, op) => sum + costOf(op, qubits), 0) ?? 0
  return updates / (UPDATES_PER_SECOND * (qubits < MIN_PARALLEL_QUBITS ? 1 : threads))
}

/** Runs all shots; returns the number of threads used. */
export async function runOnState(workload: Workload, run: MethodRun): Promise<{ threads: number }> {
  if (!workload.reduced) await runWithFeedback(workload, run, assertFitsInto(run.limits, workload))
  else await runReduced(workload, workload.reduced, run)
  const threads = run.engine.threadsUsed
  run.engine.release()
  return { threads }
}

/** Throws for a state of too many qubits. */
function assertFitsInto(limits: ResourceLimits, workload: Workload): (qubits: number) => void {
  return (qubits) => {
    const refusal = refuseSize(qubits, limits, workload)
    if (refusal) throw new UnsuitableMethodError(refusal)
  }
}

/**
 * Work of a step in amplitude updates, a gate on one qubit without controls being one pass over the state.
 */
function costOf(op: StateOp, qubits: number): number {
  const size = 2 ** qubits
  if (op.kind === 'measure' || op.kind === 'reset' || op.kind === 'channel') return 2 * size
  const touched = size / 2 ** op.controls.length
  return op.kind === 'unitary' && op.targets.length > 1 ? touched * 2 ** op.targets.length : touched
}
