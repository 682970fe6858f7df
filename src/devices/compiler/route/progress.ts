import type { GateOrder, Node } from './gate-order.ts'

/** How far a circuit has been routed. */
export class Progress {
  readonly #order: GateOrder
  readonly #lookahead: number
  /** For each node, how many nodes it waits for. */
  readonly #waits: Int32Array
  /** Nodes that wait for none and have not run. */
  #due: number[]
  /** The gates ahead, until something runs: several exchanges in a row ask for the same. */
  #ahead: readonly Node[] | undefined
  /** Zeros, for counting; one array for the whole circuit, because it is needed after every gate. */
  readonly #arrived: Int32Array

  /** @param lookahead number of gates that `ahead` returns. */
  constructor(order: GateOrder, lookahead: number) {
    this.#order = order
    this.#lookahead = lookahead
    this.#waits = Int32Array.from(order.predecessors)
    this.#arrived = new Int32Array(this.#waits.length)
    this.#due = order.predecessors.flatMap((waits, index) => (waits === 0 ? [index] : []))
  }

  /** The nodes whose turn it is. */
  get due(): readonly Node[] {
    return this.#due.map((index) => this.#node(index))
  }

  /** Runs all nodes that `canRun` allows, and what they make way for; calls `run` with the index of each. */
  advance(canRun: (node: Node) => boolean, run: (index: number, node: Node) => void): void {
    const queue = this.#due
    const blocked: number[] = []
    for (const index of queue) {
      const node = this.#node(index)
      if (!canRun(node)) {
        blocked.push(index)
        continue
      }
      run(index, node)
      this.#ahead = undefined
      for (const next of this.#order.successors[index] ?? []) {
        const waits = (this.#waits[next] ?? 0) - 1
        this.#waits[next] = waits
        if (waits === 0) queue.push(next)
      }
    }
    this.#due = blocked
  }

  /** The first gates that follow those that are due, in an order in which they can run. */
  get ahead(): readonly Node[] {
    this.#ahead ??= this.#findAhead()
    return this.#ahead
  }

  #findAhead(): readonly Node[] {
    const found: Node[] = []
    const seen: number[] = []
    const queue = [...this.#due]
    for (const index of queue) {
      if (found.length >= this.#lookahead) break
      for (const next of this.#order.successors[index] ?? []) {
        if (!this.#arrive(next, seen)) continue
        queue.push(next)
        const node = this.#node(next)
        if (node.isGate) found.push(node)
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
