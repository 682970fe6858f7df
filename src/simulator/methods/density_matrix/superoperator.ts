import type { Channel } from '../../noise/channel.ts'

/**
 * A channel as a matrix on a density matrix stored as a state of twice the qubits: the low bits of an index
 * are the row of ρ, the high bits its column. ρ → Σ K ρ K† becomes Σ K* ⊗ K (Nielsen and Chuang, section
 * 8.2.3, with ρ as a vector). Row-major, real and imaginary parts interleaved.
 */
export function superoperatorOf({ qubits, kraus }: Channel): Float64Array {
  const size = 2 ** qubits
  const whole = new Float64Array(2 * size ** 4)
  for (const matrix of kraus) addProduct(whole, matrix, size)
  // What is left of terms that cancel; the kernel skips zeros.
  for (let part = 0; part < whole.length; part++)
    if (Math.abs(whole[part] as number) < ROUNDING) whole[part] = 0
  return whole
}

/** Below the rounding of 1. */
const ROUNDING = 1e-16

/** Adds K* ⊗ K. */
function addProduct(whole: Float64Array, matrix: Float64Array, size: number): void {
  const length = size * size
  for (let to = 0; to < length; to++) {
    for (let from = 0; from < length; from++) {
      const low = 2 * ((to % size) * size + (from % size))
      const high = 2 * (Math.floor(to / size) * size + Math.floor(from / size))
      const [a, b] = [matrix[low] ?? 0, matrix[low + 1] ?? 0]
      const [c, d] = [matrix[high] ?? 0, -(matrix[high + 1] ?? 0)]
      const at = 2 * (to * length + from)
      whole[at] = (whole[at] ?? 0) + a * c - b * d
      whole[at + 1] = (whole[at + 1] ?? 0) + a * d + b * c
    }
  }
}

/** A measurement without a result: coherences vanish. */
export const DEPHASED: Channel = {
  qubits: 1,
  kraus: [Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0), Float64Array.of(0, 0, 0, 0, 0, 0, 1, 0)],
}

/** Resets a qubit to |0>. */
export const RESET: Channel = {
  qubits: 1,
  kraus: [Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0), Float64Array.of(0, 0, 1, 0, 0, 0, 0, 0)],
}
