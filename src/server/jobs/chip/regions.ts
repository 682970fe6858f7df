import type { Coupling } from './described-chip.ts'

/** Steps after which a search for room is given up: the device then decides. */
const MAX_STEPS = 10_000

/** Sizes of the regions of qubits that couplings connect, the largest first; those of one qubit included. */
export function regionSizes(qubits: readonly number[], couplings: Iterable<Coupling>): number[] {
  const regions = new Map(qubits.map((qubit) => [qubit, new Set([qubit])]))
  for (const { ends } of couplings) {
    const [one, other] = [regions.get(ends[0]), regions.get(ends[1])]
    if (!one || !other || one === other) continue
    for (const qubit of other) {
      one.add(qubit)
      regions.set(qubit, one)
    }
  }
  return [...new Set(regions.values())].map(({ size }) => size).sort((one, other) => other - one)
}

/** Whether groups of qubits find room in regions, each in one of them. Both begin with the largest. */
export function findRoom(groups: readonly number[], regions: readonly number[]): boolean {
  let steps = 0
  const place = (index: number, left: readonly number[]): boolean => {
    const size = groups[index]
    if (size === undefined || ++steps > MAX_STEPS) return true
    const tried = new Set<number>()
    return left.some((room, at) => {
      if (room < size || tried.has(room)) return false
      tried.add(room)
      return place(index + 1, left.with(at, room - size))
    })
  }
  return place(0, regions)
}
