import type { Pauli } from './clifford.ts'

/** A step on rows of bits: `to` is exchanged with `from`, or `from` is added to it modulo 2. */
interface RowOperation {
  kind: 'exchange' | 'add'
  to: number
  from: number
}

/** By the images of a gate, which equal gates share. */
const known = new WeakMap<readonly Pauli[], readonly RowOperation[]>()

/**
 * The effect of a gate on Pauli frames: rows 2j and 2j + 1 are X and Z of its j-th qubit. Its linear map,
 * which is invertible, as a product of elementary ones by Gauss and Jordan's method: two additions for a
 * controlled X.
 */
export function rowOperationsOf(images: readonly Pauli[]): readonly RowOperation[] {
  const found = known.get(images)
  if (found) return found
  const operations = eliminate(rowsOf(images))
  known.set(images, operations)
  return operations
}

/** For each row of the result, the rows it is a sum of, as a mask. */
function rowsOf(images: readonly Pauli[]): number[] {
  const rows = images.map(() => 0)
  for (const [from, { x, z }] of images.entries()) {
    for (let place = 0; place < images.length / 2; place++) {
      if ((x >> place) & 1) (rows[2 * place] as number) |= 1 << from
      if ((z >> place) & 1) (rows[2 * place + 1] as number) |= 1 << from
    }
  }
  return rows
}

function eliminate(rows: number[]): RowOperation[] {
  const operations: RowOperation[] = []
  for (let column = 0; column < rows.length; column++) {
    const bit = 1 << column
    const pivot = rows.findIndex((row, index) => index >= column && (row & bit) !== 0)
    if (pivot !== column) {
      const moved = rows[pivot] as number
      rows[pivot] = rows[column] as number
      rows[column] = moved
      operations.push({ kind: 'exchange', to: column, from: pivot })
    }
    for (let row = 0; row < rows.length; row++) {
      if (row === column || ((rows[row] as number) & bit) === 0) continue
      ;(rows[row] as number) ^= rows[column] as number
      operations.push({ kind: 'add', to: row, from: column })
    }
  }
  // They turn the map into the identity; each is its own inverse.
  return operations.reverse()
}
