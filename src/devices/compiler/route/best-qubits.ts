import type { Step } from '../decompose/step.ts'
import { type Coupling, pairKey } from './coupling.ts'
import type { RoutedCircuit } from './route.ts'

/** Tries before the search keeps the best that it has found. */
const MAX_TRIES = 20_000

/**
 * What the CZ of a circuit cost on a chip: the sum of -ln(1 - error), so that the smallest cost has the
 * largest product of fidelities. A pair without a measured error costs as much as the worst that has one;
 * without any error, each CZ costs 1.
 */
export function costOf(steps: readonly Step[], coupling: Coupling): number {
  const costOfPair = pairCosts(coupling)
  return [...pairsOf(steps)].reduce((sum, [key, count]) => sum + count * costOfPair(key), 0)
}

/**
 * The same circuit on those qubits of the chip that are coupled alike and whose CZ have the smallest errors.
 * The circuit is returned as it is when no error is known or no place is better.
 */
export function onBestQubits(circuit: RoutedCircuit, coupling: Coupling): RoutedCircuit {
  const pairs = pairsOf(circuit.steps)
  if (!coupling.errors?.size || pairs.size === 0) return circuit
  const found = new BestQubits(coupling, pairs).search(usedBy(circuit))
  if (!found) return circuit
  const place = completed(found, coupling.qubits)
  const moved = (qubit: number) => place[qubit] ?? qubit
  return {
    ...circuit,
    steps: circuit.steps.map((step) => movedStep(step, moved)),
    method: circuit.method === 'none' ? 'placement' : circuit.method,
    initial: circuit.initial.map((at) => (at < 0 ? at : moved(at))),
    final: circuit.final.map((at) => (at < 0 ? at : moved(at))),
  }
}

/** CZ by pair of qubits. */
function pairsOf(steps: readonly Step[]): Map<string, number> {
  const pairs = new Map<string, number>()
  for (const step of steps) {
    if (step.kind !== 'cz') continue
    const key = pairKey(...step.qubits)
    pairs.set(key, (pairs.get(key) ?? 0) + 1)
  }
  return pairs
}

function pairCosts({ errors }: Coupling): (key: string) => number {
  if (!errors?.size) return () => 1
  const costs = new Map([...errors].map(([key, error]) => [key, -Math.log1p(-error)]))
  const worst = Math.max(...costs.values())
  return (key) => costs.get(key) ?? worst
}

/** Every qubit that has a place, and all between which states are exchanged. */
function usedBy({ steps, initial, final }: RoutedCircuit): number[] {
  const ofGates = steps.flatMap((step) => (step.kind === 'cz' ? step.qubits : []))
  return [...new Set([...ofGates, ...initial, ...final])].filter((at) => at >= 0)
}

function movedStep<S extends Step>(step: S, moved: (qubit: number) => number): S {
  if (step.kind === 'cz') {
    const [one, other] = step.qubits
    return { ...step, qubits: [moved(one), moved(other)] }
  }
  if ('qubits' in step) return { ...step, qubits: step.qubits.map(moved) }
  return { ...step, qubit: moved(step.qubit) }
}

/** A place for every qubit of the chip, so that barriers on unused ones move along. */
function completed(places: ReadonlyMap<number, number>, qubits: number): number[] {
  const taken = new Set(places.values())
  const free = Array.from({ length: qubits }, (_, at) => at).filter((at) => !taken.has(at))
  // An unused qubit keeps its number where it can.
  const kept = new Set(free.filter((at) => !places.has(at)))
  const others = free.filter((at) => !kept.has(at))
  return Array.from(
    { length: qubits },
    (_, at) => places.get(at) ?? (kept.has(at) ? at : (others.shift() ?? at)),
  )
}

/** Searches other places for the qubits of a placed circuit, with the smallest cost of its CZ. */
class BestQubits {
  readonly #coupling: Coupling
  readonly #partners = new Map<number, Map<number, number>>()
  readonly #neighbors = new Map<number, number[]>()
  readonly #costOfPair: (key: string) => number
  readonly #coupled: ReadonlySet<string>
  readonly #placed = new Map<number, number>()
  readonly #taken = new Set<number>()
  #bestCost: number
  #best: Map<number, number> | undefined
  #tries = 0

  constructor(coupling: Coupling, pairs: ReadonlyMap<string, number>) {
    this.#coupling = coupling
    this.#costOfPair = pairCosts(coupling)
    this.#coupled = new Set(coupling.edges.map((pair) => pairKey(...pair)))
    for (const [one, other] of coupling.edges) {
      this.#neighbors.set(one, [...(this.#neighbors.get(one) ?? []), other])
      this.#neighbors.set(other, [...(this.#neighbors.get(other) ?? []), one])
    }
    for (const [key, count] of pairs) {
      const [one = 0, other = 0] = key.split(' ').map(Number)
      this.#partners.set(one, (this.#partners.get(one) ?? new Map()).set(other, count))
      this.#partners.set(other, (this.#partners.get(other) ?? new Map()).set(one, count))
    }
    const costs = [...pairs].map(([key, count]) => count * this.#costOfPair(key))
    // A gain below the precision of a sum is none.
    this.#bestCost = costs.reduce((sum, cost) => sum + cost, 0) * (1 - 1e-9)
  }

  /** The new place of each of the used qubits; undefined when the present places are the best. */
  search(used: readonly number[]): Map<number, number> | undefined {
    const alone = used.filter((qubit) => !this.#partners.has(qubit))
    this.#place(this.#order(), 0)
    const best = this.#best
    if (!best) return undefined
    const taken = new Set(best.values())
    const { qubits, usable } = this.#coupling
    const free = Array.from({ length: qubits }, (_, at) => at).filter(
      (at) => !taken.has(at) && usable?.has(at) !== false,
    )
    const kept = new Set(alone.filter((qubit) => free.includes(qubit)))
    const left = free.filter((at) => !kept.has(at))
    for (const qubit of alone) {
      const at = kept.has(qubit) ? qubit : left.shift()
      if (at === undefined) return undefined
      best.set(qubit, at)
    }
    return best
  }

  /** Each qubit after one of its partners where possible. */
  #order(): number[] {
    const order: number[] = []
    const seen = new Set<number>()
    for (const start of this.#partners.keys()) {
      if (seen.has(start)) continue
      seen.add(start)
      const queue = [start]
      for (const qubit of queue) {
        order.push(qubit)
        for (const partner of this.#partners.get(qubit)?.keys() ?? []) {
          if (seen.has(partner)) continue
          seen.add(partner)
          queue.push(partner)
        }
      }
    }
    return order
  }

  #place([qubit, ...others]: readonly number[], cost: number): void {
    if (cost >= this.#bestCost || this.#tries > MAX_TRIES) return
    if (qubit === undefined) {
      this.#bestCost = cost
      this.#best = new Map(this.#placed)
      return
    }
    for (const { at, added } of this.#candidates(qubit)) {
      this.#tries += 1
      this.#placed.set(qubit, at)
      this.#taken.add(at)
      this.#place(others, cost + added)
      this.#placed.delete(qubit)
      this.#taken.delete(at)
    }
  }

  /** Free places coupled to all partners that have one, the cheapest first. */
  #candidates(qubit: number): { at: number; added: number }[] {
    const { qubits, usable } = this.#coupling
    const placed = [...(this.#partners.get(qubit) ?? [])].flatMap(([partner, count]) => {
      const at = this.#placed.get(partner)
      return at === undefined ? [] : [{ at, count }]
    })
    const [first] = placed
    const all = first ? (this.#neighbors.get(first.at) ?? []) : Array.from({ length: qubits }, (_, at) => at)
    return all
      .filter(
        (at) =>
          !this.#taken.has(at) &&
          usable?.has(at) !== false &&
          placed.every((other) => this.#coupled.has(pairKey(at, other.at))),
      )
      .map((at) => ({
        at,
        added: placed.reduce((sum, other) => sum + other.count * this.#costOfPair(pairKey(at, other.at)), 0),
      }))
      .sort((one, other) => one.added - other.added)
  }
}
