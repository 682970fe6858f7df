import { HADAMARD } from '../decompose/matrix.ts'
import { type Step, StepList } from '../decompose/step.ts'
import type { GateOrder } from './gate-order.ts'
import type { Placement } from './placement.ts'
import type { RouteEvent } from './route-once.ts'

/**
 * Writes a circuit on the qubits of a chip, with its exchanges as three CZ each.
 * @param placement at the start; moved to the end. Barriers leave qubits without a place out.
 */
export function placeSteps(
  { nodes, rest }: GateOrder,
  events: readonly RouteEvent[],
  placement: Placement,
): Step[] {
  const list = new StepList()
  for (const event of events) {
    if (typeof event === 'number') {
      for (const step of nodes[event]?.steps ?? []) list.steps.push(moved(step, placement))
    } else {
      addSwap(list, event)
      placement.swap(...event)
    }
  }
  for (const step of rest) list.steps.push(moved(step, placement))
  return list.steps
}

/** A step on the qubits of the chip. */
export function moved(step: Step, placement: Placement): Step {
  switch (step.kind) {
    case 'cz':
      return { ...step, qubits: [placement.at(step.qubits[0]), placement.at(step.qubits[1])] }
    case 'barrier':
    case 'delay':
      return { ...step, qubits: step.qubits.map((qubit) => placement.at(qubit)).filter((at) => at >= 0) }
    default:
      return { ...step, qubit: placement.at(step.qubit) }
  }
}

function addSwap(list: StepList, [one, other]: readonly [number, number]): void {
  for (const target of [one, other, one]) {
    list.local(target, HADAMARD)
    list.cz(one, other)
    list.local(target, HADAMARD)
  }
}
