/**
 * Loops over a state of 2^n amplitudes stored as interleaved real and imaginary parts. Qubits are given as bit
 * masks; `controls` and `value` restrict a loop to the amplitudes whose control qubits have the bits of `value`.
 * Stepping `free = ((free | fixed) + 1) & ~fixed` visits every value of the qubits outside `fixed`. Indices stay
 * 32-bit integers, so n is at most 29. Elements are read as `number` without a fallback and one by one: either
 * of them, or taking the matrix apart by pattern, made these loops eight times slower when measured.
 */

/** Number of set bits of a 32-bit integer. */
export function bitCount(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Multiplies the amplitudes that satisfy the controls by `re + i im`. */
export function scale(state: Float64Array, controls: number, value: number, re: number, im: number): void {
  const count = (state.length / 2) >> bitCount(controls)
  let free = 0
  for (let step = 0; step < count; step++) {
    const at = (free | value) << 1
    const a = state[at] as number
    const b = state[at + 1] as number
    state[at] = a * re - b * im
    state[at + 1] = a * im + b * re
    free = ((free | controls) + 1) & ~controls
  }
}

/** Applies a dense 2 x 2 matrix to one qubit. */
export function applyOne(
  state: Float64Array,
  target: number,
  controls: number,
  value: number,
  matrix: Float64Array,
): void {
  const ar = matrix[0] as number
  const ai = matrix[1] as number
  const br = matrix[2] as number
  const bi = matrix[3] as number
  const cr = matrix[4] as number
  const ci = matrix[5] as number
  const dr = matrix[6] as number
  const di = matrix[7] as number
  const fixed = controls | target
  const count = (state.length / 2) >> bitCount(fixed)
  let free = 0
  for (let step = 0; step < count; step++) {
    const p = (free | value) << 1
    const q = p + (target << 1)
    const xr = state[p] as number
    const xi = state[p + 1] as number
    const yr = state[q] as number
    const yi = state[q + 1] as number
    state[p] = ar * xr - ai * xi + br * yr - bi * yi
    state[p + 1] = ar * xi + ai * xr + br * yi + bi * yr
    state[q] = cr * xr - ci * xi + dr * yr - di * yi
    state[q + 1] = cr * xi + ci * xr + dr * yi + di * yr
    free = ((free | fixed) + 1) & ~fixed
  }
}

/** Exchanges the amplitudes of a qubit's two values: an X. */
export function flip(state: Float64Array, target: number, controls: number, value: number): void {
  const fixed = controls | target
  const count = (state.length / 2) >> bitCount(fixed)
  let free = 0
  for (let step = 0; step < count; step++) {
    const p = (free | value) << 1
    const q = p + (target << 1)
    const re = state[p] as number
    const im = state[p + 1] as number
    state[p] = state[q] as number
    state[p + 1] = state[q + 1] as number
    state[q] = re
    state[q + 1] = im
    free = ((free | fixed) + 1) & ~fixed
  }
}

/**
 * Applies a dense 2^k x 2^k matrix (row-major, interleaved) to k qubits. `targets[0]` is the least significant
 * bit of the matrix index.
 */
export function applyMany(
  state: Float64Array,
  targets: readonly number[],
  controls: number,
  value: number,
  matrix: Float64Array,
): void {
  const dimension = 1 << targets.length
  const offsets = new Int32Array(dimension)
  for (let row = 0; row < dimension; row++) {
    for (let bit = 0; bit < targets.length; bit++) {
      if (row & (1 << bit)) offsets[row] = (offsets[row] as number) | ((targets[bit] as number) << 1)
    }
  }
  const held = new Float64Array(2 * dimension)
  const fixed = targets.reduce((mask, target) => mask | target, controls)
  const count = (state.length / 2) >> bitCount(fixed)
  let free = 0
  for (let step = 0; step < count; step++) {
    const base = (free | value) << 1
    for (let row = 0; row < dimension; row++) {
      const at = base + (offsets[row] as number)
      held[2 * row] = state[at] as number
      held[2 * row + 1] = state[at + 1] as number
    }
    multiplyInto(state, base, offsets, held, matrix)
    free = ((free | fixed) + 1) & ~fixed
  }
}

function multiplyInto(
  state: Float64Array,
  base: number,
  offsets: Int32Array,
  held: Float64Array,
  matrix: Float64Array,
): void {
  const width = held.length
  for (let row = 0; row < offsets.length; row++) {
    const start = row * width
    let re = 0
    let im = 0
    for (let column = 0; column < width; column += 2) {
      const mr = matrix[start + column] as number
      const mi = matrix[start + column + 1] as number
      const xr = held[column] as number
      const xi = held[column + 1] as number
      re += mr * xr - mi * xi
      im += mr * xi + mi * xr
    }
    const at = base + (offsets[row] as number)
    state[at] = re
    state[at + 1] = im
  }
}

/** Sum of the squared sizes of the amplitudes that satisfy the controls. */
export function weight(state: Float64Array, controls: number, value: number): number {
  const count = (state.length / 2) >> bitCount(controls)
  let sum = 0
  let free = 0
  for (let step = 0; step < count; step++) {
    const at = (free | value) << 1
    const re = state[at] as number
    const im = state[at + 1] as number
    sum += re * re + im * im
    free = ((free | controls) + 1) & ~controls
  }
  return sum
}

/** Multiplies the amplitudes whose qubits in `mask` equal `value` by `factor` and removes all others. */
export function project(state: Float64Array, mask: number, value: number, factor: number): void {
  const size = state.length / 2
  for (let index = 0; index < size; index++) {
    const kept = (index & mask) === value ? factor : 0
    state[2 * index] = (state[2 * index] as number) * kept
    state[2 * index + 1] = (state[2 * index + 1] as number) * kept
  }
}
