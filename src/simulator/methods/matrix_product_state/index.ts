import { defineMethod } from '../../define-method.ts'
import { qubitsOf } from '../../reduction/reduce-circuit.ts'
import { BranchRunner } from './branch-runner.ts'
import { runShotByShot } from './run-shot-by-shot.ts'
import { TruncationRecord } from './truncation-record.ts'

/** Gates on more are not brought together on neighbouring sites. */
const MAX_GATE_QUBITS = 6
const MAX_QUBITS = 1_000

/** Share of the weight that is cut off at one place at most: what rounding leaves of singular values that are zero. */
const TRUNCATION_THRESHOLD = 1e-16

/** Multiplications per second: measured 0.5e9. */
const MULTIPLICATIONS_PER_SECOND = 5e8

/**
 * Simulation of states with little entanglement, of hundreds of qubits: a chain of tensors whose bonds grow with
 * entanglement up to a limit, above which the result is an approximation that reports how much it lost.
 */
export const matrixProductState = defineMethod({
  name: 'matrix_product_state',
  refuse(workload) {
    const qubits = workload.reduced?.qubits.length ?? workload.qubits
    if (qubits > MAX_QUBITS) {
      return { code: 'too_many_qubits', reason: `needs ${qubits} qubits, at most ${MAX_QUBITS} fit` }
    }
    const wide = workload.reduced?.ops.find((op) => qubitsOf(op).length > MAX_GATE_QUBITS)
    if (!wide) return undefined
    return { code: 'unsupported_gate', reason: `has a gate on more than ${MAX_GATE_QUBITS} qubits` }
  },
  // Bonds may grow until the chain is as large as the state.
  stateQubits: (workload) => workload.reduced?.qubits.length ?? workload.qubits,
  // What entanglement costs shows only as it runs: this is the least a circuit takes.
  estimateSeconds: (workload) => ((workload.reduced?.ops.length ?? 0) * 200) / MULTIPLICATIONS_PER_SECOND,
  async run(workload, run) {
    const truncation = { maxBondDimension: run.limits.maxBondDimension, threshold: TRUNCATION_THRESHOLD }
    const losses = new TruncationRecord()
    if (workload.reduced) await new BranchRunner(run, losses).runAll(workload.reduced, workload, truncation)
    else await runShotByShot(workload, run, truncation, losses)
    return { bond: losses.largestBondDimension, truncation: losses.discarded }
  },
})
