import { adjointOfRows, type Matrix, multiplyRows, identity as squareIdentity } from '../../qasm/index.ts'

/** A complex matrix that need not be square. */
export interface Block {
  rows: number
  columns: number
  data: Matrix
}

/** A matrix of zeros. */
export function zeros(rows: number, columns: number): Block {
  return { rows, columns, data: new Float64Array(2 * rows * columns) }
}

/** The identity. */
export function identity(size: number): Block {
  return { rows: size, columns: size, data: squareIdentity(size) }
}

/** The conjugate transpose. */
export function adjoint({ rows, columns, data }: Block): Block {
  return { rows: columns, columns: rows, data: adjointOfRows(rows, data) }
}

/** a b, for small matrices: `Algebra` has the product of large ones. */
export function multiplySmall(a: Block, b: Block): Block {
  return { rows: a.rows, columns: b.columns, data: multiplyRows(a.rows, a.data, b.data) }
}

/** Σ |element|². */
export function weightOf(data: Float64Array): number {
  let sum = 0
  for (let at = 0; at < data.length; at++) sum += (data[at] as number) ** 2
  return sum
}
