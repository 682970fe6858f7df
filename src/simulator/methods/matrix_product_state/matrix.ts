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

/** The identity. */
export function identity(size: number): Matrix {
  const matrix = zeros(size, size)
  for (let at = 0; at < size; at++) matrix.data[2 * at * (size + 1)] = 1
  return matrix
}

/** The conjugate transpose. */
export function adjoint({ rows, columns, data }: Matrix): Matrix {
  const turned = zeros(columns, rows)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [from, to] = [2 * (row * columns + column), 2 * (column * rows + row)]
      turned.data[to] = data[from] as number
      turned.data[to + 1] = -(data[from + 1] as number)
    }
  }
  return turned
}

/** a b, for small matrices: `Algebra` has the product of large ones. */
export function multiplySmall(a: Matrix, b: Matrix): Matrix {
  const product = zeros(a.rows, b.columns)
  const [left, right, out] = [a.data, b.data, product.data]
  for (let row = 0; row < a.rows; row++) {
    for (let inner = 0; inner < a.columns; inner++) {
      const at = 2 * (row * a.columns + inner)
      const re = left[at] as number
      const im = left[at + 1] as number
      let from = 2 * inner * b.columns
      const end = 2 * (row + 1) * b.columns
      for (let to = 2 * row * b.columns; to < end; to += 2, from += 2) {
        const c = right[from] as number
        const d = right[from + 1] as number
        out[to] = (out[to] as number) + re * c - im * d
        out[to + 1] = (out[to + 1] as number) + re * d + im * c
      }
    }
  }
  return product
}

/** Σ |element|². */
export function weightOf(data: Float64Array): number {
  let sum = 0
  for (let at = 0; at < data.length; at++) sum += (data[at] as number) ** 2
  return sum
}
