import type { Rng } from '../../../simulator/index.ts'
import { type CouplingGraph, unusableOf } from './coupling.ts'

/** Qubits of a circuit that gates join, directly or through others; fixed qubits join nothing. */
interface Cluster {
  qubits: readonly number[]
  /** Places of the fixed qubits with which it has gates. */
  fixedPartners: readonly number[]
}

/** The clusters of a circuit, the largest first. */
export function clustersOf(
  used: readonly number[],
  pairs: readonly (readonly [number, number])[],
  fixed: ReadonlyMap<number, number>,
): Cluster[] {
  const free = used.filter((qubit) => !fixed.has(qubit))
  const inner = pairs.filter((pair) => pair.every((qubit) => !fixed.has(qubit)))
  return connected(free, inner).map((qubits) => {
    const own = new Set(qubits)
    const fixedPartners = pairs.flatMap(([one, other]) => {
      const partner = own.has(one) ? fixed.get(other) : own.has(other) ? fixed.get(one) : undefined
      return partner ?? []
    })
    return { qubits, fixedPartners }
  })
}

/** The parts of a chip within which states can be moved, the largest first. */
export function partsOf(graph: CouplingGraph, fixed: ReadonlyMap<number, number>): number[][] {
  const taken = new Set([...fixed.values(), ...unusableOf(graph)])
  const free = Array.from({ length: graph.qubits }, (_, at) => at).filter((at) => !taken.has(at))
  return connected(free, graph.movable)
}

/**
 * Places every cluster in one part of the chip, the largest first, at random places within it.
 * @returns physical qubits by qubit of the circuit; undefined when a cluster fits nowhere.
 */
export function randomPlacement(
  graph: CouplingGraph,
  clusters: readonly Cluster[],
  parts: readonly (readonly number[])[],
  rng: Rng,
): Map<number, number> | undefined {
  const spaces = parts.map((part) => shuffled(part, rng))
  const placed = new Map<number, number>()
  for (const { qubits, fixedPartners } of clusters) {
    const fits = spaces.filter(
      (free) =>
        free.length >= qubits.length &&
        fixedPartners.every((partner) => Number.isFinite(graph.distance(free[0] ?? 0, partner))),
    )
    // The tightest fit keeps the larger parts for those that follow.
    const [free] = fits.toSorted((one, other) => one.length - other.length)
    if (free === undefined) return undefined
    for (const [index, at] of free.splice(0, qubits.length).entries()) placed.set(qubits[index] ?? 0, at)
  }
  return placed
}

function shuffled(list: readonly number[], rng: Rng): number[] {
  const result = [...list]
  for (let at = result.length - 1; at > 0; at--) {
    const other = Math.floor(rng.next() * (at + 1))
    const kept = result[at] ?? 0
    result[at] = result[other] ?? 0
    result[other] = kept
  }
  return result
}

/** Groups that pairs connect, the largest first. */
function connected(members: readonly number[], pairs: readonly (readonly [number, number])[]): number[][] {
  const groupOf = new Map(members.map((member) => [member, [member]]))
  for (const [one, other] of pairs) {
    const [first, second] = [groupOf.get(one), groupOf.get(other)]
    if (first === undefined || second === undefined || first === second) continue
    for (const member of second) {
      first.push(member)
      groupOf.set(member, first)
    }
  }
  return [...new Set(groupOf.values())].sort((one, other) => other.length - one.length)
}
