import { symmetricEigen } from './solve/symmetric-eigen.ts'

/** Pauli products of two qubits, and rows of the Choi matrix of a process on them. */
const SIZE = 16

/**
 * The completely positive process closest to a Pauli transfer matrix of two qubits (row-major, 16 × 16):
 * eigenvalues of the Choi matrix are projected on the probability simplex (J. A. Smolin, J. M. Gambetta and
 * G. Smith, PRL 108, 070502 (2012)). The result has trace 1 but may not preserve the trace of every input.
 */
export function physicalTransfer(transfer: ArrayLike<number>): Float64Array {
  const { re, im } = choiOf(transfer)
  const size = 2 * SIZE
  // The real symmetric form of a Hermitian matrix has each eigenvalue twice.
  const doubled = new Float64Array(size * size)
  for (let row = 0; row < SIZE; row++) {
    for (let column = 0; column < SIZE; column++) {
      const [x, y] = [re[row * SIZE + column] as number, im[row * SIZE + column] as number]
      doubled[row * size + column] = x
      doubled[(row + SIZE) * size + column + SIZE] = x
      doubled[(row + SIZE) * size + column] = y
      doubled[row * size + column + SIZE] = -y
    }
  }
  const { values, vectors } = symmetricEigen(doubled, size)
  const projected = onSimplex(values, 2)
  for (let row = 0; row < SIZE; row++) {
    for (let column = 0; column < SIZE; column++) {
      let [x, y] = [0, 0]
      for (let at = 0; at < size; at++) {
        const weight = (projected[at] as number) * (vectors[column * size + at] as number)
        x += weight * (vectors[row * size + at] as number)
        y += weight * (vectors[(row + SIZE) * size + at] as number)
      }
      re[row * SIZE + column] = x
      im[row * SIZE + column] = y
    }
  }
  return transferOf(re, im)
}

/** The closest values that are not negative and have sum `total`. */
function onSimplex(values: Float64Array, total: number): Float64Array {
  const sorted = values.slice().sort().reverse()
  let sum = 0
  let shift = 0
  for (const [at, value] of sorted.entries()) {
    sum += value
    const candidate = (sum - total) / (at + 1)
    if (value > candidate) shift = candidate
  }
  return values.map((value) => Math.max(value - shift, 0))
}

/**
 * Column and value (a power of i, as quarter turns) of the entry in `row` of a Pauli product of two qubits.
 */
function pauliEntry(pauli: number, row: number): { column: number; turns: number } {
  let [column, turns] = [row, 0]
  for (const [shift, one] of [
    [1, pauli >> 2],
    [0, pauli & 3],
  ] as const) {
    const bit = (row >> shift) & 1
    if (one === 1 || one === 2) column ^= 1 << shift
    if (one === 2) turns += bit === 0 ? 3 : 1
    if (one === 3 && bit === 1) turns += 2
  }
  return { column, turns: turns % 4 }
}

/**
 * Calls `visit` for the entries of every P_inᵀ ⊗ P_out: place in the transfer matrix and in the Choi matrix.
 */
function forEachEntry(visit: (place: number, entry: number, turns: number) => void): void {
  for (let output = 0; output < SIZE; output++) {
    for (let input = 0; input < SIZE; input++) {
      for (let a = 0; a < 4; a++) {
        const left = pauliEntry(input, a)
        for (let b = 0; b < 4; b++) {
          const right = pauliEntry(output, b)
          // The transpose of the input swaps its row and column.
          const [row, column] = [4 * left.column + b, 4 * a + right.column]
          visit(output * SIZE + input, row * SIZE + column, (left.turns + right.turns) % 4)
        }
      }
    }
  }
}

const REAL = [1, 0, -1, 0] as const
const IMAGINARY = [0, 1, 0, -1] as const

/** Choi matrix Σ R_ij · P_jᵀ ⊗ P_i / 16, of trace 1. */
function choiOf(transfer: ArrayLike<number>) {
  const [re, im] = [new Float64Array(SIZE * SIZE), new Float64Array(SIZE * SIZE)]
  forEachEntry((place, entry, turns) => {
    const value = (transfer[place] as number) / SIZE
    re[entry] = (re[entry] as number) + value * (REAL[turns] ?? 0)
    im[entry] = (im[entry] as number) + value * (IMAGINARY[turns] ?? 0)
  })
  return { re, im }
}

/** R_ij = tr(Choi · P_jᵀ ⊗ P_i), the entries of which are conjugate to each other across the diagonal. */
function transferOf(re: Float64Array, im: Float64Array): Float64Array {
  const transfer = new Float64Array(SIZE * SIZE)
  forEachEntry((place, entry, turns) => {
    const value = (re[entry] as number) * (REAL[turns] ?? 0) + (im[entry] as number) * (IMAGINARY[turns] ?? 0)
    transfer[place] = (transfer[place] as number) + value
  })
  return transfer
}
