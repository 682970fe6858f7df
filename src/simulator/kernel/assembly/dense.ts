/** Matrices on several qubits: dense ones on two, and real ones of few entries on any number. */
import { AMPLITUDE, runOf } from './block.ts'

/** One row, at `row`, of a 4 x 4 matrix times four amplitudes. */
function rowOf(row: usize, x: v128, y: v128, z: v128, w: v128): v128 {
  const re = f64x2.add(
    f64x2.add(f64x2.mul(x, v128.load64_splat(row)), f64x2.mul(y, v128.load64_splat(row, 16))),
    f64x2.add(f64x2.mul(z, v128.load64_splat(row, 32)), f64x2.mul(w, v128.load64_splat(row, 48))),
  )
  const im = f64x2.add(
    f64x2.add(f64x2.mul(x, v128.load64_splat(row, 8)), f64x2.mul(y, v128.load64_splat(row, 24))),
    f64x2.add(f64x2.mul(z, v128.load64_splat(row, 40)), f64x2.mul(w, v128.load64_splat(row, 56))),
  )
  return f64x2.add(re, v128.xor(v128.shuffle<f64>(im, im, 1, 0), f64x2(-0.0, 0.0)))
}

/**
 * Applies a complex 4 x 4 matrix, row-major, to two qubits where the controls hold. `offsets` lists the
 * distances in bytes of the four amplitudes from the first, `fixed` has the bits of targets and controls.
 */
export function applyFour(
  state: usize,
  size: u32,
  fixed: u32,
  value: u32,
  offsets: usize,
  matrix: usize,
): void {
  const b: usize = load<u32>(offsets, 4)
  const c: usize = load<u32>(offsets, 8)
  const d: usize = load<u32>(offsets, 12)
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << AMPLITUDE
  let free: u32 = 0
  do {
    let at = state + ((free | value) << AMPLITUDE)
    const end = at + bytes
    do {
      const x = v128.load(at)
      const y = v128.load(at + b)
      const z = v128.load(at + c)
      const w = v128.load(at + d)
      v128.store(at, rowOf(matrix, x, y, z, w))
      v128.store(at + b, rowOf(matrix + 64, x, y, z, w))
      v128.store(at + c, rowOf(matrix + 128, x, y, z, w))
      v128.store(at + d, rowOf(matrix + 192, x, y, z, w))
      at += 16
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/**
 * Applies a real matrix of few entries to several qubits where the controls hold. Each row starts at `rows`
 * with the distance of its amplitude and its number of entries, each of which is the place of an amplitude in
 * `gathered`, in bytes, and a factor. `offsets` lists the distances of the amplitudes from the first.
 */
export function applySparse(
  state: usize,
  size: u32,
  fixed: u32,
  value: u32,
  dimension: u32,
  offsets: usize,
  rows: usize,
  gathered: usize,
): void {
  let free: u32 = 0
  do {
    const base = state + ((free | value) << AMPLITUDE)
    for (let row: u32 = 0; row < dimension; row++) {
      v128.store(gathered + (row << AMPLITUDE), v128.load(base + load<u32>(offsets + (row << 2))))
    }
    let at = rows
    for (let row: u32 = 0; row < dimension; row++) {
      const to = base + load<u32>(at)
      const end = at + 16 + (load<u32>(at, 4) << 4)
      let sum = f64x2.mul(v128.load(gathered + load<u32>(at, 16)), v128.load64_splat(at, 24))
      at += 32
      for (; at < end; at += 16) {
        sum = f64x2.add(sum, f64x2.mul(v128.load(gathered + load<u32>(at)), v128.load64_splat(at, 8)))
      }
      v128.store(to, sum)
    }
    free = ((free | fixed) + 1) & ~fixed
  } while (free < size)
}
