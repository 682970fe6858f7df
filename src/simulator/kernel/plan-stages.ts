import { bitCount } from '../numeric/bits.ts'
import { type KernelCall, targetsOf } from './kernel-call.ts'

/** Calls executed on one block after the other: all their targets are in `set`. */
export interface Stage {
  /** The qubits whose values a block covers, as a mask. */
  set: number
  calls: KernelCall[]
}

/** The lowest qubits are in every set, so that a block is made of runs of 2^6 amplitudes: 1 KiB. */
const MIN_RUN_QUBITS = 6

/**
 * Splits calls into stages for blocks of 2^`blockQubits` amplitudes of a state of `qubits` qubits. A call
 * joins the stage if its targets fit into the set and it may pass the calls before it that did not join: on
 * every qubit they share, both must be diagonal, as controls and phases are. Controls and phases outside the
 * set cost nothing: they are constant within a block.
 */
export function planStages(calls: readonly KernelCall[], qubits: number, blockQubits: number): Stage[] {
  const all = 2 ** qubits - 1
  if (qubits <= blockQubits) return [{ set: all, calls: [...calls] }]
  const stages: Stage[] = []
  let remaining = calls
  do {
    const { stage, rest } = nextStage(remaining, all, blockQubits)
    stages.push(stage)
    remaining = rest
  } while (remaining.length > 0)
  return stages
}

function nextStage(calls: readonly KernelCall[], all: number, blockQubits: number) {
  const taken: KernelCall[] = []
  const rest: KernelCall[] = []
  let set = 2 ** Math.min(MIN_RUN_QUBITS, blockQubits) - 1
  // Qubits on which a call that did not join is diagonal, or is not.
  let diagonal = 0
  let dense = 0
  for (const call of calls) {
    const targets = targetsOf(call)
    const mayPass = (targets & (dense | diagonal)) === 0 && (call.controls & dense) === 0
    if (mayPass && bitCount(set | targets) <= blockQubits) {
      set |= targets
      taken.push(call)
      continue
    }
    dense |= targets
    diagonal |= call.controls
    rest.push(call)
  }
  // Low qubits make the runs longer; if they are all, a block needs no copy.
  for (let bit = 1; bitCount(set) < blockQubits && bit <= all; bit *= 2) set |= bit
  return { stage: { set, calls: taken }, rest }
}
