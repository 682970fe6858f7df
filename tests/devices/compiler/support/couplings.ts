import type { Coupling } from '../../../../src/devices/compiler/route/coupling.ts'

export type CouplingName = 'line' | 'star' | 'grid' | 'heavy-hex'

/** The couplings on which routing is checked: 12 qubits each, 16 in heavy hexagons. */
export const COUPLINGS: Readonly<Record<CouplingName, Coupling>> = {
  line: line(12),
  star: { qubits: 12, edges: Array.from({ length: 11 }, (_, index) => [0, index + 1] as const) },
  grid: grid(3, 4),
  // A hexagon and its surroundings, as on the 16-qubit chips that were built so.
  'heavy-hex': {
    qubits: 16,
    edges: [
      ...([
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 5],
        [1, 4],
        [4, 7],
        [5, 8],
        [6, 7],
      ] as const),
      ...([
        [7, 10],
        [8, 9],
        [8, 11],
        [10, 12],
        [11, 14],
        [12, 13],
        [12, 15],
        [13, 14],
      ] as const),
    ],
  },
}

export function line(qubits: number): Coupling {
  return { qubits, edges: Array.from({ length: qubits - 1 }, (_, index) => [index, index + 1] as const) }
}

export function grid(rows: number, columns: number): Coupling {
  const edges: [number, number][] = []
  for (let at = 0; at < rows * columns; at++) {
    if ((at + 1) % columns !== 0) edges.push([at, at + 1])
    if (at + columns < rows * columns) edges.push([at, at + columns])
  }
  return { qubits: rows * columns, edges }
}
