/** Which qubits of a chip a CZ can join. */
export interface Coupling {
  /** Number of qubits of the chip. */
  qubits: number
  /** Pairs of indices of qubits. */
  edges: readonly (readonly [number, number])[]
  /** The qubits that a circuit may use; all when absent. No edge has another one. */
  usable?: ReadonlySet<number>
  /** Measured errors of the CZ by `pairKey`; absent or empty where none is known. */
  errors?: ReadonlyMap<string, number>
}

/** Names two qubits, whichever comes first. */
export function pairKey(one: number, other: number): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

/** A coupling with the distances that routing needs. No state passes through a fixed qubit. */
export interface CouplingGraph extends Coupling {
  /** Edges along which states may be exchanged: those without a fixed end. */
  movable: readonly (readonly [number, number])[]
  neighbors: readonly (readonly number[])[]
  /** Steps of the shortest way from one qubit to the other around fixed qubits; infinite without one. */
  distance(one: number, other: number): number
  isCoupled(one: number, other: number): boolean
}

/** The qubits of a chip that no circuit may use. */
export function unusableOf({ qubits, usable }: Coupling): number[] {
  return usable ? Array.from({ length: qubits }, (_, at) => at).filter((at) => !usable.has(at)) : []
}

/** Finds the distances of all pairs. */
export function graphOf({ qubits, edges, usable }: Coupling, fixed: ReadonlySet<number>): CouplingGraph {
  const neighbors: number[][] = Array.from({ length: qubits }, () => [])
  for (const [one, other] of edges) {
    neighbors[one]?.push(other)
    neighbors[other]?.push(one)
  }
  const distances = neighbors.map((_, from) => distancesFrom(from, neighbors, fixed))
  const table = new Float64Array(qubits * qubits).fill(Number.POSITIVE_INFINITY)
  for (const [from, row] of distances.entries()) table.set(row, from * qubits)
  const distance = (one: number, other: number) =>
    one < 0 || other < 0
      ? Number.POSITIVE_INFINITY
      : (table[one * qubits + other] ?? Number.POSITIVE_INFINITY)
  return {
    qubits,
    edges,
    ...(usable && { usable }),
    movable: edges.filter(([one, other]) => !fixed.has(one) && !fixed.has(other)),
    neighbors,
    distance,
    isCoupled: (one, other) => distance(one, other) === 1,
  }
}

/** Breadth first; a fixed qubit is an end of the way, never on it. */
function distancesFrom(
  from: number,
  neighbors: readonly (readonly number[])[],
  fixed: ReadonlySet<number>,
): Float64Array {
  const distances = new Float64Array(neighbors.length).fill(Number.POSITIVE_INFINITY)
  distances[from] = 0
  const queue = [from]
  for (const at of queue) {
    if (at !== from && fixed.has(at)) continue
    for (const neighbor of neighbors[at] ?? []) {
      if (Number.isFinite(distances[neighbor])) continue
      distances[neighbor] = (distances[at] ?? 0) + 1
      queue.push(neighbor)
    }
  }
  return distances
}
