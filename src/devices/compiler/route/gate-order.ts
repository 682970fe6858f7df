import type { Step } from '../decompose/step.ts'

/** A step that joins qubits: a CZ, whose qubits must be coupled, or a barrier, which orders them. */
export interface Node {
  qubits: readonly number[]
  isGate: boolean
  /** Index of the step. */
  step: number
}

/** The steps of a circuit that join qubits, and which of them have to wait for which. */
export interface GateOrder {
  nodes: readonly Node[]
  /** Indices of the nodes that follow next on a qubit of each node. */
  successors: readonly (readonly number[])[]
  /** For each node, of how many it is a successor. */
  predecessors: readonly number[]
}

/** The order of the steps of a circuit. */
export function gateOrderOf(steps: readonly Step[]): GateOrder {
  return orderOf(
    steps.flatMap((step, index): Node[] =>
      'qubits' in step ? [{ qubits: step.qubits, isGate: step.kind === 'cz', step: index }] : [],
    ),
  )
}

/** The same nodes backwards. */
export function reversed({ nodes }: GateOrder): GateOrder {
  return orderOf(nodes.toReversed())
}

function orderOf(nodes: readonly Node[]): GateOrder {
  const successors: number[][] = nodes.map(() => [])
  const predecessors = nodes.map(() => 0)
  const last = new Map<number, number>()
  for (const [index, { qubits }] of nodes.entries()) {
    for (const before of new Set(qubits.flatMap((qubit) => last.get(qubit) ?? []))) {
      successors[before]?.push(index)
      predecessors[index] = (predecessors[index] ?? 0) + 1
    }
    for (const qubit of qubits) last.set(qubit, index)
  }
  return { nodes, successors, predecessors }
}
