import { UNLIMITED, type WorkCounter } from '../../timing/time-budget.ts'

/** A complex matrix, row-major, real and imaginary parts interleaved. */
export interface Matrix {
  rows: number
  columns: number
  data: Float64Array
}

/** A matrix of zeros. */
export function zeros(rows: number, columns: number): Matrix {
  return { rows, columns, data: new Float64Array(2 * rows * columns) }
}

/** Work of a multiplication of complex numbers, in amplitude updates of the kernel. */
export const COMPLEX_WORK = 4

/** a b. */
export function multiply(a: Matrix, b: Matrix, work: WorkCounter = UNLIMITED): Matrix {
  const product = zeros(a.rows, b.columns)
  const [left, right, out] = [a.data, b.data, product.data]
  for (let row = 0; row < a.rows; row++) {
    work.spend(COMPLEX_WORK * a.columns * b.columns)
    for (let inner = 0; inner < a.columns; inner++) {
      const at = 2 * (row * a.columns + inner)
      const [re, im] = [left[at] as number, left[at + 1] as number]
      if (re === 0 && im === 0) continue
      let from = 2 * inner * b.columns
      const end = 2 * (row + 1) * b.columns
      for (let to = 2 * row * b.columns; to < end; to += 2, from += 2) {
        const [c, d] = [right[from] as number, right[from + 1] as number]
        out[to] = (out[to] as number) + re * c - im * d
        out[to + 1] = (out[to + 1] as number) + re * d + im * c
      }
    }
  }
  return product
}

/** a† b. */
export function adjointTimes(a: Matrix, b: Matrix, work: WorkCounter = UNLIMITED): Matrix {
  return multiply(adjoint(a), b, work)
}

/** The columns as vectors of their own. */
export function columnsOf({ rows, columns, data }: Matrix): Float64Array[] {
  return Array.from({ length: columns }, (_, column) => {
    const vector = new Float64Array(2 * rows)
    for (let row = 0; row < rows; row++) {
      vector[2 * row] = data[2 * (row * columns + column)] as number
      vector[2 * row + 1] = data[2 * (row * columns + column) + 1] as number
    }
    return vector
  })
}

/** The matrix with these columns, at least one. */
export function fromColumns(columns: readonly Float64Array[]): Matrix {
  const matrix = zeros((columns[0]?.length ?? 0) / 2, columns.length)
  for (const [column, vector] of columns.entries()) {
    for (let row = 0; row < matrix.rows; row++) {
      matrix.data[2 * (row * columns.length + column)] = vector[2 * row] as number
      matrix.data[2 * (row * columns.length + column) + 1] = vector[2 * row + 1] as number
    }
  }
  return matrix
}

/** Rows and columns exchanged, without conjugation. */
export function transpose({ rows, columns, data }: Matrix): Matrix {
  return exchanged(rows, columns, data, 1)
}

function adjoint({ rows, columns, data }: Matrix): Matrix {
  return exchanged(rows, columns, data, -1)
}

function exchanged(rows: number, columns: number, data: Float64Array, sign: 1 | -1): Matrix {
  const result = zeros(columns, rows)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [from, to] = [2 * (row * columns + column), 2 * (column * rows + row)]
      result.data[to] = data[from] as number
      result.data[to + 1] = sign * (data[from + 1] as number)
    }
  }
  return result
}

/** Σ |element|². */
export function weightOf(data: Float64Array): number {
  let sum = 0
  for (let at = 0; at < data.length; at++) sum += (data[at] as number) ** 2
  return sum
}
