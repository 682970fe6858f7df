import type { NoiseSpec } from './program.ts'

/** A complex matrix by rows, real and imaginary parts interleaved; the first target is the lowest bit. */
export type Matrix = readonly number[]

/** A matrix on some of the qubits of a vector. */
export function applied(matrix: Matrix, vector: Float64Array, qubits: readonly number[]): Float64Array {
  const size = 2 ** qubits.length
  const result = new Float64Array(vector.length)
  const masks = Array.from({ length: size }, (_, value) =>
    qubits.reduce((mask, qubit, place) => mask | (((value >> place) & 1) << qubit), 0),
  )
  const all = masks[size - 1] as number
  const elements = Array.from({ length: size * size }, (_, at) => ({
    to: masks[Math.floor(at / size)] as number,
    from: masks[at % size] as number,
    re: matrix[2 * at] as number,
    im: matrix[2 * at + 1] as number,
  })).filter(({ re, im }) => re !== 0 || im !== 0)
  for (let base = 0; base < vector.length / 2; base++) {
    if ((base & all) !== 0) continue
    for (const { to, from, re, im } of elements) {
      const [c, d] = [vector[2 * (base | from)] as number, vector[2 * (base | from) + 1] as number]
      if (c === 0 && d === 0) continue
      ;(result[2 * (base | to)] as number) += re * c - im * d
      ;(result[2 * (base | to) + 1] as number) += re * d + im * c
    }
  }
  return result
}

/** The matrix with controls above its targets, each of which must have its value. */
export function controlled(matrix: Matrix, targets: number, values: readonly number[]): Matrix {
  const [inner, size] = [2 ** targets, 2 ** (targets + values.length)]
  const wanted = values.reduce((sum, value, place) => sum + value * 2 ** place, 0)
  return Array.from({ length: 2 * size * size }, (_, at) => {
    const [row, column] = [Math.floor(at / 2 / size), Math.floor(at / 2) % size]
    if (Math.floor(row / inner) !== Math.floor(column / inner)) return 0
    if (Math.floor(row / inner) !== wanted) return row === column && at % 2 === 0 ? 1 : 0
    return matrix[2 * ((row % inner) * inner + (column % inner)) + (at % 2)] as number
  })
}

function product(one: Matrix, other: Matrix): Matrix {
  const size = Math.sqrt(one.length / 2)
  return Array.from({ length: one.length }, (_, at) => {
    const [row, column] = [Math.floor(at / 2 / size), Math.floor(at / 2) % size]
    let sum = 0
    for (let inner = 0; inner < size; inner++) {
      const [left, right] = [2 * (row * size + inner), 2 * (inner * size + column)]
      const [a, b, c, d] = [one[left], one[left + 1], other[right], other[right + 1]] as [
        number,
        number,
        number,
        number,
      ]
      sum += at % 2 === 0 ? a * c - b * d : a * d + b * c
    }
    return sum
  })
}

export function modified(matrix: Matrix, modifier: string): Matrix {
  const size = Math.sqrt(matrix.length / 2)
  if (modifier === 'pow(2)') return product(matrix, matrix)
  if (modifier === 'pow(3)') return product(matrix, product(matrix, matrix))
  // Unitary: the inverse is the adjoint.
  return matrix.map((_, at) => {
    const [row, column] = [Math.floor(at / 2 / size), Math.floor(at / 2) % size]
    const part = matrix[2 * (column * size + row) + (at % 2)] as number
    return at % 2 === 0 ? part : -part
  })
}

/**
 * The matrix of a gate on its targets, as Nielsen and Chuang define it; `sx` is the root of X, `p` is
 * diag(1, e^iθ).
 */
export function matrixOf(gate: string, angle: number): Matrix {
  const [c, s, r] = [Math.cos(angle / 2), Math.sin(angle / 2), Math.SQRT1_2]
  const phase = (by: number): Matrix => [1, 0, 0, 0, 0, 0, Math.cos(by), Math.sin(by)]
  const h: Matrix = [r, 0, r, 0, r, 0, -r, 0]
  const x: Matrix = [0, 0, 1, 0, 1, 0, 0, 0]
  const rz: Matrix = [c, -s, 0, 0, 0, 0, c, s]
  const one: Matrix = [1, 0, 0, 0, 0, 0, 1, 0]
  switch (gate) {
    case 'x':
    case 'cx':
    case 'ccx':
      return x
    case 'y':
    case 'cy':
      return [0, 0, 0, -1, 0, 1, 0, 0]
    case 'z':
    case 'cz':
      return phase(Math.PI)
    case 'h':
    case 'ch':
      return h
    case 's':
      return phase(Math.PI / 2)
    case 'sdg':
      return phase(-Math.PI / 2)
    case 't':
      return phase(Math.PI / 4)
    case 'tdg':
      return phase(-Math.PI / 4)
    case 'p':
      return phase(angle)
    case 'sx':
      return [0.5, 0.5, 0.5, -0.5, 0.5, -0.5, 0.5, 0.5]
    case 'rx':
      return [c, 0, 0, -s, 0, -s, c, 0]
    case 'ry':
      return [c, 0, -s, 0, s, 0, c, 0]
    case 'rz':
      return rz
    case 'swap':
      return [
        ...[1, 0, 0, 0, 0, 0, 0, 0],
        ...[0, 0, 0, 0, 1, 0, 0, 0],
        ...[0, 0, 1, 0, 0, 0, 0, 0],
        ...[0, 0, 0, 0, 0, 0, 1, 0],
      ]
    case 'pair':
      // h on the first, cx to the second, rz on the second.
      return product(tensor(rz, one), product(controlledByFirst(x), tensor(one, h)))
    default:
      return one
  }
}

/** The matrix of two qubits: `high` acts on the second, `low` on the first. */
function tensor(high: Matrix, low: Matrix): Matrix {
  return Array.from({ length: 32 }, (_, at) => {
    const [row, column] = [Math.floor(at / 8), Math.floor(at / 2) % 4]
    const [left, right] = [2 * (2 * (row >> 1) + (column >> 1)), 2 * (2 * (row & 1) + (column & 1))]
    const [a, b, c, d] = [high[left], high[left + 1], low[right], low[right + 1]] as [
      number,
      number,
      number,
      number,
    ]
    return at % 2 === 0 ? a * c - b * d : a * d + b * c
  })
}

/** The gate on the second qubit where the first is 1. */
function controlledByFirst(matrix: Matrix): Matrix {
  return Array.from({ length: 32 }, (_, at) => {
    const [row, column] = [Math.floor(at / 8), Math.floor(at / 2) % 4]
    if ((row & 1) !== (column & 1)) return 0
    if ((row & 1) === 0) return row === column && at % 2 === 0 ? 1 : 0
    return matrix[2 * (2 * (row >> 1) + (column >> 1)) + (at % 2)] as number
  })
}

/** Gates behind which noise acts. */
export const NOISY: ReadonlySet<string> = new Set(['x', 'y', 'h', 'sx', 'rx', 'ry', 'cx', 'swap'])

export function channelsAfter(gate: string, places: number[], { x, z, damping, pair }: NoiseSpec) {
  if (!NOISY.has(gate)) return []
  const scaled = (matrix: Matrix, weight: number) => matrix.map((part) => Math.sqrt(weight) * part)
  const [one, flip, turn] = [matrixOf('id', 0), matrixOf('x', 0), matrixOf('z', 0)]
  const both = (weight: number) => [scaled(tensor(one, one), 1 - weight), scaled(tensor(turn, flip), weight)]
  return [
    ...places.map((place) => ({
      qubits: [place],
      kraus: [scaled(one, 1 - x - z), scaled(flip, x), scaled(turn, z)],
    })),
    ...(damping > 0
      ? places.map((place) => ({
          qubits: [place],
          kraus: [
            [1, 0, 0, 0, 0, 0, Math.sqrt(1 - damping), 0],
            [0, 0, Math.sqrt(damping), 0, 0, 0, 0, 0],
          ],
        }))
      : []),
    ...(places.length === 2 && pair > 0 ? [{ qubits: places, kraus: both(pair) }] : []),
  ]
}
