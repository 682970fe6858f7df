import type { Step } from '../decompose/step.ts'
import type { Axis, Item } from '../optimize/blocks.ts'

/** What joins qubits: a gate, whose qubits must be coupled, or a barrier or a delay, which orders them. */
export interface Node {
  qubits: readonly number[]
  isGate: boolean
  /** What is played, on qubits of the circuit: first what its qubits do alone since the node before. */
  steps: readonly Step[]
  /** CZ that an exchange of the two qubits of a gate just before or after it adds. */
  exchange: number
  /** For each qubit, the axis by which it commutes with nodes beside it; undefined where it does not. */
  axes: readonly (Axis | undefined)[]
}

/** The nodes of a circuit, and which of them have to wait for which. */
export interface GateOrder {
  /** Those without qubits only stand between groups of nodes that commute. */
  nodes: readonly Node[]
  /** Indices of the nodes that wait for each node. */
  successors: readonly (readonly number[])[]
  /** For each node, how many times it is a successor. */
  predecessors: readonly number[]
  /** What qubits do alone after their last node. */
  rest: readonly Step[]
  /** Whether the qubits are in their ground state before it, so that exchanges need fewer CZ. */
  isFromGround: boolean
}

/** CZ of an exchange that is not joined with a gate. */
export const EXCHANGE = 3
/** Length of the cross product of two axes below which they are the same, or opposite. */
const NEGLIGIBLE = 1e-10

/** The order of the steps of a circuit; of blocks, those that commute have none. */
export function gateOrderOf(steps: readonly (Step | Item)[]): GateOrder {
  const nodes: Node[] = []
  const waiting = new Map<number, number[]>()
  for (const [index, step] of steps.entries()) {
    if (!('qubits' in step)) {
      const list = waiting.get(step.qubit)
      if (list) list.push(index)
      else waiting.set(step.qubit, [index])
      continue
    }
    const before = step.qubits.flatMap((qubit) => waiting.get(qubit) ?? [])
    nodes.push(nodeOf(step, singles(steps, before), (qubit) => waiting.has(qubit)))
    for (const qubit of step.qubits) waiting.delete(qubit)
  }
  const isFromGround = steps.some(({ kind }) => kind === 'block')
  const rest = singles(
    steps,
    [...waiting.values()].flat().sort((one, other) => one - other),
  )
  return { ...orderOf(nodes), rest, isFromGround }
}

/** The same nodes backwards. */
export function reversed({ nodes }: GateOrder): GateOrder {
  const back = orderOf(nodes.filter(({ qubits }) => qubits.length > 0).reverse())
  return { ...back, rest: [], isFromGround: false }
}

function nodeOf(
  step: Extract<Step | Item, { qubits: readonly number[] }>,
  before: readonly Step[],
  isAfterOthers: (qubit: number) => boolean,
): Node {
  const { kind, qubits } = step
  if (kind !== 'block')
    return { qubits, isGate: kind === 'cz', steps: [...before, step], exchange: EXCHANGE, axes: [] }
  const { exchange = EXCHANGE, axes: own = [] } = step.pulled ?? {}
  const axes = own.map((axis, at) => (isAfterOthers(qubits[at] ?? -1) ? undefined : axis))
  return { qubits, isGate: true, steps: [...before, ...step.steps], exchange, axes }
}

function singles(steps: readonly (Step | Item)[], indices: readonly number[]): Step[] {
  return indices.flatMap((index) => {
    const step = steps[index]
    return step && step.kind !== 'block' ? [step] : []
  })
}

/** Nodes that follow each other on a qubit and commute there. */
interface Group {
  axis: Axis | undefined
  members: number[]
  /** The node that all members wait for; -1 for none. */
  after: number
}

function orderOf(given: readonly Node[]): Pick<GateOrder, 'nodes' | 'successors' | 'predecessors'> {
  const nodes: Node[] = []
  const successors: number[][] = []
  const predecessors: number[] = []
  const add = (node: Node) => {
    successors.push([])
    predecessors.push(0)
    return nodes.push(node) - 1
  }
  const wait = (before: number, index: number) => {
    if (before < 0) return
    successors[before]?.push(index)
    predecessors[index] = (predecessors[index] ?? 0) + 1
  }
  /** The node that ends a group; one of its own, so that large groups do not wait pair by pair. */
  const endOf = ({ members }: Group): number => {
    if (members.length === 1) return members[0] ?? -1
    const end = add({ qubits: [], isGate: false, steps: [], exchange: 0, axes: [] })
    for (const member of members) wait(member, end)
    return end
  }
  const groups = new Map<number, Group>()
  for (const node of given) {
    const index = add(node)
    for (const [at, qubit] of node.qubits.entries()) {
      const [axis, group] = [node.axes[at], groups.get(qubit)]
      if (group && isSame(axis, group.axis)) {
        group.members.push(index)
        wait(group.after, index)
      } else {
        const after = group ? endOf(group) : -1
        groups.set(qubit, { axis, members: [index], after })
        wait(after, index)
      }
    }
  }
  return { nodes, successors, predecessors }
}

export function isSame(one: Axis | undefined, other: Axis | undefined): boolean {
  if (!one || !other) return false
  const [[a, b, c], [x, y, z]] = [one, other]
  return Math.hypot(b * z - c * y, c * x - a * z, a * y - b * x) < NEGLIGIBLE
}
