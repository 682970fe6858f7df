import type { CouplingGraph } from './coupling.ts'

/** Tries before the search gives up: it is an offer, not a promise. */
const MAX_TRIES = 20_000

/**
 * Places the qubits of a circuit such that all given pairs are coupled, by trying neighbors of what is
 * placed.
 * @param pairs pairs of qubits of the circuit
 * @param fixed qubits of the circuit that have their place already, and that place
 * @returns the physical qubit by qubit of the circuit, for all qubits of the pairs and the fixed ones;
 *   undefined when the search finds none.
 */
export function perfectPlacement(
  graph: CouplingGraph,
  pairs: readonly (readonly [number, number])[],
  fixed: ReadonlyMap<number, number>,
): Map<number, number> | undefined {
  const partners = partnersOf(pairs)
  const search = new PlacementSearch(graph, partners, fixed)
  return search.place(connectedOrder(partners, fixed)) ? search.placed : undefined
}

type Partners = ReadonlyMap<number, ReadonlySet<number>>

function partnersOf(pairs: readonly (readonly [number, number])[]): Partners {
  const partners = new Map<number, Set<number>>()
  for (const [one, other] of pairs) {
    partners.set(one, (partners.get(one) ?? new Set()).add(other))
    partners.set(other, (partners.get(other) ?? new Set()).add(one))
  }
  return partners
}

class PlacementSearch {
  readonly placed: Map<number, number>
  readonly #graph: CouplingGraph
  readonly #partners: Partners
  readonly #taken: Set<number>
  #tries = 0

  constructor(graph: CouplingGraph, partners: Partners, fixed: ReadonlyMap<number, number>) {
    this.#graph = graph
    this.#partners = partners
    this.placed = new Map(fixed)
    this.#taken = new Set(fixed.values())
  }

  /** Places the qubits in this order; returns whether all have a place. */
  place([qubit, ...others]: readonly number[]): boolean {
    if (qubit === undefined) return true
    for (const at of this.#candidates(qubit)) {
      if (++this.#tries > MAX_TRIES) return false
      this.placed.set(qubit, at)
      this.#taken.add(at)
      if (this.place(others)) return true
      this.placed.delete(qubit)
      this.#taken.delete(at)
    }
    return false
  }

  /** Free qubits of the chip that are coupled with all partners that have a place. */
  #candidates(qubit: number): number[] {
    const { neighbors, qubits, isCoupled } = this.#graph
    const partners = this.#partners.get(qubit) ?? new Set<number>()
    const near = [...partners].flatMap((partner) => this.placed.get(partner) ?? [])
    const [first] = near
    const all = first === undefined ? Array.from({ length: qubits }, (_, at) => at) : (neighbors[first] ?? [])
    return all.filter(
      (at) =>
        !this.#taken.has(at) &&
        (neighbors[at]?.length ?? 0) >= partners.size &&
        near.every((other) => isCoupled(at, other)),
    )
  }
}

/** Qubits without a place, each after one of its partners where possible, those with many partners first. */
function connectedOrder(partners: Partners, fixed: ReadonlyMap<number, number>): number[] {
  const degree = (qubit: number) => partners.get(qubit)?.size ?? 0
  const left = new Set([...partners.keys()].filter((qubit) => !fixed.has(qubit)))
  const done = new Set(fixed.keys())
  const order: number[] = []
  while (left.size > 0) {
    const known = (qubit: number) =>
      [...(partners.get(qubit) ?? [])].filter((other) => done.has(other)).length
    const next = [...left].reduce((best, qubit) => {
      const difference = known(qubit) - known(best)
      return difference > 0 || (difference === 0 && degree(qubit) > degree(best)) ? qubit : best
    })
    left.delete(next)
    done.add(next)
    order.push(next)
  }
  return order
}
