import { defineMethod } from '../../define-method.ts'
import { UnsuitableMethodError } from '../../errors.ts'
import { type CliffordCircuit, type Step, toCliffordCircuit } from './clifford-circuit.ts'
import { type NonCliffordStep, nonCliffordRefusal } from './non-clifford.ts'
import { findNonCliffordStep, runFeedback } from './run-feedback.ts'
import { runFrames } from './run-frames.ts'
import { refuseSize } from './tableau.ts'

/**
 * Up to this number of qubits the statevector is faster: with it, a GHZ state of 14 qubits takes a quarter of
 * the time, one of 20 qubits twice as long.
 */
const MAX_QUBITS_FASTER_AS_STATE = 15

/** Words of 32 bits combined per second: measured 0.8e9. */
const WORDS_PER_SECOND = 5e8

/**
 * Exact simulation of Clifford circuits of thousands of qubits. One run on a tableau is the reference; shots
 * differ from it by Pauli frames, which are propagated through the circuit 32 at a time.
 */
export const stabilizer = defineMethod({
  name: 'stabilizer',
  prefers: ({ usedQubits }) => usedQubits.length > MAX_QUBITS_FASTER_AS_STATE,
  refuse(workload, { work }) {
    const refusal = refuseSize(workload.usedQubits.length)
    if (refusal) return refusal
    const step = workload.reduced
      ? nonCliffordStepOf(toCliffordCircuit(workload.reduced, work))
      : findNonCliffordStep(workload)
    return step && nonCliffordRefusal(step)
  },
  stateQubits: () => 0,
  estimateSeconds(workload, { work }) {
    const circuit = workload.reduced && toCliffordCircuit(workload.reduced, work)
    if (!circuit || 'nonClifford' in circuit) return 0
    return workOf(circuit, workload.shots) / WORDS_PER_SECOND
  },
  async run(workload, run) {
    if (!workload.reduced) await runFeedback(workload, run)
    else {
      const circuit = toCliffordCircuit(workload.reduced, run.timeBudget)
      if ('nonClifford' in circuit) throw new UnsuitableMethodError(nonCliffordRefusal(circuit.nonClifford))
      await runFrames(circuit, workload, run)
    }
    return {}
  },
})

function nonCliffordStepOf(circuit: ReturnType<typeof toCliffordCircuit>): NonCliffordStep | undefined {
  return 'nonClifford' in circuit ? circuit.nonClifford : undefined
}

/** Number of words combined: rows of the tableau by gates and random outcomes, frames by all steps. */
function workOf({ qubits, steps, terminal }: CliffordCircuit, shots: number): number {
  const row = 2 * Math.ceil(qubits.length / 32)
  // Only a gate that maps a Z to an operator with X can make an outcome random.
  const isBranching = (step: Step) =>
    step.kind === 'gate' && step.gate.images.some(({ x }, index) => index % 2 === 1 && x !== 0)
  const measurements =
    terminal.length + steps.filter(({ kind }) => kind === 'measure' || kind === 'reset').length
  const random = Math.min(measurements, steps.filter(isBranching).length)
  const perStep = 8 * row + 8 * Math.ceil(shots / 32)
  return (steps.length + terminal.length) * perStep + random * 2 * qubits.length * row
}
