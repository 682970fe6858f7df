/** A state machine, defined by its initial state and the successors of each state. */
export interface Machine<S> {
  start: S
  /** Equal for equal states; must be the state as JSON. */
  key(state: S): string
  steps(state: S): [name: string, after: S][]
  /** The invariant that the state violates, or ''. */
  violatedInvariant(state: S): string
  ended(state: S): boolean
}

/** The result of `explore`. `stuck` counts the states from which no final one can be reached. */
export interface Exploration {
  states: number
  stuck: number
  violation?: { invariant: string; trace: string[] }
}

/** The states visited so far, and how each was reached. */
class Visited {
  readonly queue: string[]
  readonly #origin = new Map<string, { from: string; step: string }>()
  readonly #predecessors = new Map<string, string[]>()

  constructor(start: string) {
    this.queue = [start]
    this.#origin.set(start, { from: '', step: '' })
  }

  add(key: string, from: string, step: string): void {
    const known = this.#predecessors.get(key)
    if (known) known.push(from)
    else this.#predecessors.set(key, [from])
    if (this.#origin.has(key)) return
    this.#origin.set(key, { from, step })
    this.queue.push(key)
  }

  trace(key: string): string[] {
    const steps: string[] = []
    for (let at = this.#origin.get(key); at?.from; at = this.#origin.get(at.from)) steps.unshift(at.step)
    return steps
  }

  /** The number of states that cannot reach one of `finals`; walks backwards from those. */
  countStuck(finals: string[]): number {
    const reaches = new Set(finals)
    const queue = [...finals]
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      for (const before of this.#predecessors.get(key) ?? []) {
        if (reaches.has(before)) continue
        reaches.add(before)
        queue.push(before)
      }
    }
    return this.queue.length - reaches.size
  }
}

/**
 * Visits every reachable state, breadth first; stops at the first that violates an invariant, with a shortest
 * trace.
 */
export function explore<S>(machine: Machine<S>): Exploration {
  const visited = new Visited(machine.key(machine.start))
  const finals: string[] = []
  for (const key of visited.queue) {
    const state: S = JSON.parse(key)
    const invariant = machine.violatedInvariant(state)
    if (invariant) {
      return { states: visited.queue.length, stuck: 0, violation: { invariant, trace: visited.trace(key) } }
    }
    if (machine.ended(state)) finals.push(key)
    for (const [step, after] of machine.steps(state)) visited.add(machine.key(after), key, step)
  }
  return { states: visited.queue.length, stuck: visited.countStuck(finals) }
}
