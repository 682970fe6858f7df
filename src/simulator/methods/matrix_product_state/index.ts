import { defineMethod } from '../../define-method.ts'
import { qubitsOf } from '../../reduction/reduce-circuit.ts'
import { Algebra } from './algebra.ts'
import { BranchRunner } from './branch-runner.ts'
import { computeOnChain, refuseExact } from './exact.ts'
import { refuseGate, refuseSize } from './refusals.ts'
import { runFeedback } from './run-feedback.ts'
import { TruncationRecord } from './truncation-record.ts'

/** Maximum weight discarded by one truncation: the rounding error of singular values that are zero. */
const TRUNCATION_THRESHOLD = 1e-16

/** Multiplications per second: measured 0.5e9. */
const MULTIPLICATIONS_PER_SECOND = 5e8

/**
 * Simulation of states of hundreds of qubits with little entanglement: a matrix product state whose bond
 * dimension grows with entanglement up to a limit. Above the limit the result is an approximation that
 * reports the discarded weight.
 */
export const matrixProductState = defineMethod({
  name: 'matrix_product_state',
  refuse(workload) {
    const widths = workload.reduced?.ops.map((op) => qubitsOf(op).length) ?? []
    return refuseSize(workload.usedQubits.length) ?? refuseGate(widths.reduce((a, b) => Math.max(a, b), 0))
  },
  // The bond dimension may grow until the chain is as large as a statevector.
  stateQubits: (workload) => workload.usedQubits.length,
  // The cost of entanglement is known only at run time: this is a lower bound.
  estimateSeconds: (workload) => ((workload.reduced?.ops.length ?? 0) * 200) / MULTIPLICATIONS_PER_SECOND,
  exact: {
    refuse: (workload) => refuseSize(workload.usedQubits.length) ?? refuseExact(workload),
    run: (workload, run) =>
      computeOnChain(workload, run, {
        maxBondDimension: run.limits.maxBondDimension,
        threshold: TRUNCATION_THRESHOLD,
      }),
  },
  async run(workload, run) {
    const truncation = { maxBondDimension: run.limits.maxBondDimension, threshold: TRUNCATION_THRESHOLD }
    const settings = { truncation, algebra: new Algebra(run.engine, run.timeBudget) }
    const losses = new TruncationRecord()
    if (workload.reduced) await new BranchRunner(run, losses).runAll(workload.reduced, workload, settings)
    else await runFeedback(workload, run, { ...settings, meeting: 'right' }, losses)
    return { bond: losses.largestBondDimension, truncation: losses.discarded }
  },
})
