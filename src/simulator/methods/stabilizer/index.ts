import { defineMethod } from '../../define-method.ts'
import { type Foreign, foreignError, foreignText } from './foreign.ts'
import { runFrames } from './sample.ts'
import { type CliffordCircuit, type Step, translate } from './translate.ts'
import { lookForForeign, runWalks } from './walk.ts'

/** Where a tableau takes 50 MB. */
const MOST_QUBITS = 5_000

/** Up to here the statevector is faster: a GHZ state of 14 qubits takes a quarter of the time, one of 20 twice as long. */
const FEW_QUBITS = 15

/** Words of 32 bits combined per second: measured 0.8e9. */
const WORDS_PER_SECOND = 5e8

/**
 * Exact simulation of Clifford circuits of thousands of qubits. One run on a tableau serves as the reference; shots
 * differ from it by Pauli operators, which are carried through the circuit 32 at a time.
 */
export const stabilizer = defineMethod({
  name: 'stabilizer',
  prefers: (task) => (task.reduced?.qubits.length ?? 0) > FEW_QUBITS,
  refuse(task) {
    const qubits = task.reduced?.qubits.length ?? task.qubits
    if (qubits > MOST_QUBITS) {
      return { code: 'too_many_qubits', reason: `needs ${qubits} qubits, at most ${MOST_QUBITS} fit` }
    }
    const foreign = task.reduced ? foreignStep(translate(task.reduced)) : lookForForeign(task)
    return foreign && { code: 'not_clifford', reason: foreignText(foreign) }
  },
  stateQubits: () => 0,
  cost(task) {
    const circuit = task.reduced && translate(task.reduced)
    if (!circuit || 'foreign' in circuit) return 0
    return workOf(circuit, task.shots) / WORDS_PER_SECOND
  },
  async run(task, run) {
    if (!task.reduced) await runWalks(task, run)
    else {
      const circuit = translate(task.reduced)
      run.phases.end('plan')
      if ('foreign' in circuit) throw foreignError(circuit.foreign)
      await runFrames(circuit, task, run)
    }
    return {}
  },
})

function foreignStep(circuit: ReturnType<typeof translate>): Foreign | undefined {
  return 'foreign' in circuit ? circuit.foreign : undefined
}

/** Words that are combined: rows of the tableau by gates and random outcomes, frames by all steps. */
function workOf({ qubits, steps, terminal }: CliffordCircuit, shots: number): number {
  const row = 2 * Math.ceil(qubits.length / 32)
  // Only a gate that makes an X of a Z can make an outcome random.
  const isBranching = (step: Step) =>
    step.kind === 'gate' && step.gate.after.some(({ x }, index) => index % 2 === 1 && x !== 0)
  const measurements =
    terminal.length + steps.filter(({ kind }) => kind === 'measure' || kind === 'reset').length
  const random = Math.min(measurements, steps.filter(isBranching).length)
  const perStep = 8 * row + 8 * Math.ceil(shots / 32)
  return (steps.length + terminal.length) * perStep + random * 2 * qubits.length * row
}
