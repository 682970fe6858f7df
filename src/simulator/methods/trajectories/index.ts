import { defineMethod, type Workload } from '../../define-method.ts'
import { refuseSize, runOnState, secondsOfShot, stateQubits } from '../statevector/index.ts'
import { KrausTable, maxBranchProbability } from '../statevector/state/kraus.ts'

/**
 * Simulation of noise on states: each shot chooses one operator of each channel, with the probability its state gives
 * it (Dalibard, Castin and Mølmer, Physical Review Letters 68, 580, 1992). Shots that choose alike share a state, so
 * that weak noise costs little more than none.
 */
export const trajectories = defineMethod({
  name: 'trajectories',
  // Where outcomes steer the program there is no density matrix to weigh it against.
  prefers: (workload) => !workload.reduced,
  refuse(workload, limits) {
    if (!workload.noise?.channelsAfter) return { code: 'no_noise', reason: 'there is no noise' }
    return refuseSize(workload, limits)
  },
  stateQubits,
  estimateSeconds: (workload, limits) => secondsOfShot(workload, limits) * expectedStates(workload),
  run: runOnState,
})

/** States to be computed, if every shot that leaves the way of the others takes its own. */
function expectedStates({ reduced, shots }: Workload): number {
  const table = new KrausTable()
  let together = 1
  for (const op of reduced?.ops ?? []) {
    if (op.kind === 'channel')
      together *= 1 - maxBranchProbability(table.operatorsOf(op.channel), op.channel.qubits)
  }
  return 1 + shots * (1 - together)
}
