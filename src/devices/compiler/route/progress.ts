import type { GateOrder, Node } from './gate-order.ts'

/** Nodes that are due from which `ahead` looks: where many commute, the first are enough. */
const MAX_SOURCES = 100

/** How far a circuit has been routed. */
export class Progress {
  readonly #order: GateOrder
  /** For each node, how many nodes it waits for. */
  readonly #waits: Int32Array
  /** Nodes that wait for none and have not run. */
  #due: number[]
  /** Those before this place of `#due` could not run since something moved. */
  #from = 0
  /** Zeros, for counting; one array for the whole circuit, because it is needed after every gate. */
  readonly #arrived: Int32Array

  constructor(order: GateOrder) {
    this.#order = order
    this.#waits = Int32Array.from(order.predecessors)
    this.#arrived = new Int32Array(this.#waits.length)
    this.#due = order.predecessors.flatMap((waits, index) => (waits === 0 ? [index] : []))
  }

  /** The indices of the gates whose turn it is, the first of them where there are more than `most`. */
  due(most: number): number[] {
    const found: number[] = []
    for (const index of this.#due) {
      if (found.length >= most) break
      if (this.#node(index).isGate) found.push(index)
    }
    return found
  }

  /** Runs the first node that `canRun` allows; its index, or undefined where it allows none. */
  next(canRun: (node: Node) => boolean): number | undefined {
    for (; this.#from < this.#due.length; this.#from++) {
      const index = this.#due[this.#from] ?? -1
      if (!canRun(this.#node(index))) continue
      this.#due.splice(this.#from, 1)
      for (const next of this.#order.successors[index] ?? []) {
        const waits = (this.#waits[next] ?? 0) - 1
        this.#waits[next] = waits
        if (waits === 0) this.#due.push(next)
      }
      return index
    }
    return undefined
  }

  /** Lets `next` look at all nodes again, after qubits have moved. */
  rewind(): void {
    this.#from = 0
  }

  /** The indices of the first gates that follow those that are due, in an order in which they can run. */
  ahead(most: number): number[] {
    const found: number[] = []
    const seen: number[] = []
    const queue = this.#due.slice(0, MAX_SOURCES)
    for (let at = 0; at < queue.length && found.length < most; at++) {
      for (const next of this.#order.successors[queue[at] ?? 0] ?? []) {
        if (!this.#arrive(next, seen)) continue
        queue.push(next)
        if (this.#node(next).isGate) found.push(next)
      }
    }
    for (const index of seen) this.#arrived[index] = 0
    return found
  }

  /** Counts one of what a node waits for; whether that was the last. */
  #arrive(index: number, seen: number[]): boolean {
    const count = (this.#arrived[index] ?? 0) + 1
    this.#arrived[index] = count
    if (count === 1) seen.push(index)
    return count >= (this.#waits[index] ?? 0)
  }

  #node(index: number): Node {
    const node = this.#order.nodes[index]
    if (node === undefined) throw new RangeError(`no node ${index}`)
    return node
  }
}
