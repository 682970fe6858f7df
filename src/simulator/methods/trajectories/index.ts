import { defineMethod, type Workload } from '../../define-method.ts'
import { refuseSize, runOnState, secondsOfShot, stateQubits } from '../statevector/index.ts'
import { branchProbability, KrausTable } from '../statevector/state/kraus.ts'

/**
 * Simulation of noise on states: each shot chooses one Kraus operator of each channel, with its probability
 * in the state (Dalibard, Castin and Mølmer, Physical Review Letters 68, 580, 1992). Shots with equal choices
 * share a state, so that weak noise costs little more than none.
 */
export const trajectories = defineMethod({
  name: 'trajectories',
  hasSinglePrecision: true,
  // For a program with feedback, density_matrix is no alternative.
  prefers: (workload) => !workload.reduced,
  refuse(workload, limits) {
    if (!workload.noise?.channelsAfter) return { code: 'no_noise', reason: 'there is no noise' }
    return refuseSize(stateQubits(workload), limits, workload)
  },
  stateQubits,
  estimateSeconds: (workload, limits) => secondsOfShot(workload, limits) * expectedStates(workload),
  run: runOnState,
})

/** Expected number of states to compute, if every shot that branches off needs its own. */
function expectedStates({ reduced, shots }: Workload): number {
  const table = new KrausTable()
  let together = 1
  for (const op of reduced?.ops ?? []) {
    if (op.kind === 'channel')
      together *= 1 - branchProbability(table.operatorsOf(op.channel), op.channel.qubits)
  }
  return 1 + shots * (1 - together)
}
