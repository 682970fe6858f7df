import type { Matrix } from '../../../qasm/index.ts'
import { type Block, type Item, itemQubits, joined } from './blocks.ts'

/** Items before a block among which a partner is looked for: long circuits cost no more for each block. */
const REACH = 60
/** Largest element of a commutator that counts as none. */
const NEGLIGIBLE = 1e-10

/**
 * Joins blocks of the same two qubits where all that stands between them commutes with the second, which then
 * moves to the first, or with the first, which moves to the second.
 */
export function joinCommuting(items: readonly Item[]): Item[] {
  const result: (Item | undefined)[] = []
  for (const item of items) {
    const { at, isFirstMoved } = item.kind === 'block' ? partnerOf(item, result) : NO_PARTNER
    const partner = result[at]
    if (item.kind !== 'block' || partner?.kind !== 'block') {
      result.push(item)
    } else if (isFirstMoved) {
      result[at] = undefined
      result.push(joined(partner, item))
    } else {
      result[at] = joined(partner, item)
    }
  }
  return result.filter((item) => item !== undefined)
}

interface Partner {
  /** The place of the block with which a block can be joined; -1 for none. */
  at: number
  /** Whether that block moves to the other one. */
  isFirstMoved: boolean
}

const NO_PARTNER: Partner = { at: -1, isFirstMoved: false }

function partnerOf(block: Block, before: readonly (Item | undefined)[]): Partner {
  const between: [item: Block, shared: number][] = []
  for (let at = before.length - 1; at >= Math.max(0, before.length - REACH); at--) {
    const item = before[at]
    const shared = item ? block.qubits.filter((qubit) => itemQubits(item).includes(qubit)) : []
    if (!item || shared.length === 0) continue
    if (item.kind !== 'block') return NO_PARTNER
    if (shared.length === 1) {
      between.push([item, shared[0] ?? 0])
      continue
    }
    const isFree = (one: Block) => between.every(([other, qubit]) => commute(one, other, qubit))
    if (isFree(block)) return { at, isFirstMoved: false }
    return isFree(item) ? { at, isFirstMoved: true } : NO_PARTNER
  }
  return NO_PARTNER
}

/**
 * Whether two blocks that share one qubit commute. With the shared qubit split off, each is a 2 × 2 matrix of
 * 2 × 2 matrices on its other qubit, M and N, and sum_j M_ij ⊗ N_jk = sum_j M_jk ⊗ N_ij for all i and k.
 */
function commute(one: Block, other: Block, shared: number): boolean {
  const [m, n] = [partsOf(one, shared), partsOf(other, shared)]
  for (let i = 0; i < 2; i++) {
    for (let k = 0; k < 2; k++) {
      for (let cell = 0; cell < 16; cell++) {
        const [a, b] = [cell >> 2, cell & 3]
        let [re, im] = [0, 0]
        for (let j = 0; j < 2; j++) {
          const [x, y] = [2 * (4 * (2 * i + j) + a), 2 * (4 * (2 * j + k) + b)]
          const [u, v] = [2 * (4 * (2 * j + k) + a), 2 * (4 * (2 * i + j) + b)]
          re += times(m, x, n, y) - times(m, u, n, v)
          im += timesIm(m, x, n, y) - timesIm(m, u, n, v)
        }
        if (Math.abs(re) > NEGLIGIBLE || Math.abs(im) > NEGLIGIBLE) return false
      }
    }
  }
  return true
}

const times = (m: Matrix, x: number, n: Matrix, y: number) =>
  (m[x] ?? 0) * (n[y] ?? 0) - (m[x + 1] ?? 0) * (n[y + 1] ?? 0)
const timesIm = (m: Matrix, x: number, n: Matrix, y: number) =>
  (m[x] ?? 0) * (n[y + 1] ?? 0) + (m[x + 1] ?? 0) * (n[y] ?? 0)

/** The elements by [row and column of the shared qubit][row and column of the other]. */
function partsOf({ matrix, qubits }: Block, shared: number): Matrix {
  const isLow = qubits[0] === shared
  const result = new Float64Array(matrix.length)
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 4; column++) {
      const [i, a] = isLow ? [row & 1, row >> 1] : [row >> 1, row & 1]
      const [j, b] = isLow ? [column & 1, column >> 1] : [column >> 1, column & 1]
      const to = 2 * (4 * (2 * i + j) + 2 * a + b)
      result[to] = matrix[2 * (4 * row + column)] ?? 0
      result[to + 1] = matrix[2 * (4 * row + column) + 1] ?? 0
    }
  }
  return result
}
