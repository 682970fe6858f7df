import { HADAMARD } from '../decompose/matrix.ts'
import { type Step, StepList } from '../decompose/step.ts'
import type { GateOrder } from './gate-order.ts'
import type { Placement } from './placement.ts'
import type { RouteEvent } from './route-once.ts'

/**
 * Writes the steps of a circuit on the qubits of a chip, with its exchanges as three CZ each. What acts on
 * one qubit stays in order with the gates of that qubit; all else may move past it.
 * @param placement at the start; moved to the end. Barriers leave qubits without a place out.
 */
export function placeSteps(
  steps: readonly Step[],
  { nodes }: GateOrder,
  events: readonly RouteEvent[],
  placement: Placement,
): Step[] {
  const list = new StepList()
  const waiting = singleSteps(steps)
  const flushUntil = (qubit: number, end: number) => {
    const own = waiting.get(qubit) ?? []
    while (own.length > 0 && (own[0]?.index ?? end) < end) {
      const step = own.shift()?.step
      if (step) list.steps.push(moved(step, placement))
    }
  }
  for (const event of events) {
    if (typeof event !== 'number') {
      addSwap(list, event)
      placement.swap(...event)
      continue
    }
    const node = nodes[event]
    const step = steps[node?.step ?? 0]
    if (!node || !step) continue
    for (const qubit of node.qubits) flushUntil(qubit, node.step)
    list.steps.push(moved(step, placement))
  }
  for (const qubit of waiting.keys()) flushUntil(qubit, steps.length)
  return list.steps
}

interface SingleStep {
  index: number
  step: Step
}

/** The steps on one qubit, by qubit. */
function singleSteps(steps: readonly Step[]): Map<number, SingleStep[]> {
  const byQubit = new Map<number, SingleStep[]>()
  for (const [index, step] of steps.entries()) {
    if ('qubits' in step) continue
    const list = byQubit.get(step.qubit)
    if (list) list.push({ index, step })
    else byQubit.set(step.qubit, [{ index, step }])
  }
  return byQubit
}

function moved(step: Step, placement: Placement): Step {
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
