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

/** The states visited so far, by number, and how each was reached. */
class Visited {
  /** The key of each. */
  readonly keys: string[] = []
  readonly #numbers = new Map<string, number>()
  readonly #origins: { from: number; step: string }[] = []
  readonly #predecessors: number[][] = []

  constructor(start: string) {
    this.add(start, -1, '')
  }

  add(key: string, from: number, step: string): void {
    const known = this.#numbers.get(key)
    if (known !== undefined) {
      this.#predecessors[known]?.push(from)
      return
    }
    this.#numbers.set(key, this.keys.length)
    this.keys.push(key)
    this.#origins.push({ from, step })
    this.#predecessors.push([from])
  }

  trace(state: number): string[] {
    const steps: string[] = []
    for (let at = this.#origins[state]; at && at.from >= 0; at = this.#origins[at.from])
      steps.unshift(at.step)
    return steps
  }

  /** The number of states that cannot reach one of `finals`; walks backwards from those. */
  countStuck(finals: readonly number[]): number {
    const reaches = new Set(finals)
    const queue = [...finals]
    for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
      for (const before of this.#predecessors[state] ?? []) {
        if (before < 0 || reaches.has(before)) continue
        reaches.add(before)
        queue.push(before)
      }
    }
    return this.keys.length - reaches.size
  }
}

/**
 * Visits every reachable state, breadth first; stops at the first that violates an invariant, with a shortest
 * trace.
 */
export function explore<S>(machine: Machine<S>): Exploration {
  const visited = new Visited(machine.key(machine.start))
  const { keys } = visited
  const finals: number[] = []
  for (const [number, key] of keys.entries()) {
    const state: S = JSON.parse(key)
    const invariant = machine.violatedInvariant(state)
    if (invariant) {
      return { states: keys.length, stuck: 0, violation: { invariant, trace: visited.trace(number) } }
    }
    if (machine.ended(state)) finals.push(number)
    for (const [step, after] of machine.steps(state)) visited.add(machine.key(after), number, step)
  }
  return { states: keys.length, stuck: visited.countStuck(finals) }
}
