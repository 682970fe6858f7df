import { defineMethod } from '../../define-method.ts'
import { qubitsOf } from '../../reduction/reduce-circuit.ts'
import { Branches } from './branches.ts'
import { Losses } from './losses.ts'
import { runWalks } from './walk.ts'

/** Gates on more are not brought together on neighbouring sites. */
const MOST_AT_ONCE = 6
const MOST_QUBITS = 1_000

/** Share of the weight that is cut off at one place at most: what rounding leaves of singular values that are zero. */
const THRESHOLD = 1e-16

/** Multiplications per second: measured 0.5e9. */
const PER_SECOND = 5e8

/**
 * Simulation of states with little entanglement, of hundreds of qubits: a chain of tensors whose bonds grow with
 * entanglement up to a limit, above which the result is an approximation that reports how much it lost.
 */
export const matrixProductState = defineMethod({
  name: 'matrix_product_state',
  refuse(task) {
    const qubits = task.reduced?.qubits.length ?? task.qubits
    if (qubits > MOST_QUBITS) {
      return { code: 'too_many_qubits', reason: `needs ${qubits} qubits, at most ${MOST_QUBITS} fit` }
    }
    const wide = task.reduced?.ops.find((op) => qubitsOf(op).length > MOST_AT_ONCE)
    if (!wide) return undefined
    return { code: 'unsupported_gate', reason: `has a gate on more than ${MOST_AT_ONCE} qubits` }
  },
  // Bonds may grow until the chain is as large as the state.
  stateQubits: (task) => task.reduced?.qubits.length ?? task.qubits,
  // What entanglement costs shows only as it runs: this is the least a circuit takes.
  cost: (task) => ((task.reduced?.ops.length ?? 0) * 200) / PER_SECOND,
  async run(task, run) {
    const truncation = { bond: run.limits.bond, threshold: THRESHOLD }
    const losses = new Losses()
    if (task.reduced) await new Branches(run, losses).runAll(task.reduced, task, truncation)
    else await runWalks(task, run, truncation, losses)
    return { bond: losses.bond, truncation: losses.discarded }
  },
})
