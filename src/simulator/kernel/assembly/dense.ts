/** Matrices on several qubits: dense ones on two, and real ones of few entries on any number. */
import { runOf } from './block.ts'
import { imaginary, lanes, plus, read, real, shift, swapped, times, write } from './complex.ts'

/** One row of a 4 x 4 matrix, prepared by `prepare`, times four amplitudes. */
function rowOf<T>(row: usize, x: v128, y: v128, z: v128, w: v128): v128 {
  const re = plus<T>(
    plus<T>(times<T>(x, v128.load(row)), times<T>(y, v128.load(row, 32))),
    plus<T>(times<T>(z, v128.load(row, 64)), times<T>(w, v128.load(row, 96))),
  )
  const im = plus<T>(
    plus<T>(times<T>(swapped<T>(x), v128.load(row, 16)), times<T>(swapped<T>(y), v128.load(row, 48))),
    plus<T>(times<T>(swapped<T>(z), v128.load(row, 80)), times<T>(swapped<T>(w), v128.load(row, 112))),
  )
  return plus<T>(re, im)
}

/** Writes the factors of a 4 x 4 matrix of the host as vectors: re, and im for exchanged parts. */
function prepare<T>(matrix: usize, factors: usize): void {
  for (let at: usize = 0; at < 16; at++) {
    v128.store(factors + (at << 5), real<T>(matrix + (at << 4)))
    v128.store(factors + (at << 5), imaginary<T>(matrix + (at << 4) + 8), 16)
  }
}

/**
 * Applies a complex 4 x 4 matrix, row-major, to two qubits where the controls hold. `offsets` lists the
 * distances in bytes of the four amplitudes from the first, `fixed` has the bits of targets and controls.
 * `workspace` is memory for the matrix.
 */
export function applyFour<T, W>(
  state: usize,
  size: u32,
  fixed: u32,
  value: u32,
  offsets: usize,
  matrix: usize,
  workspace: usize,
): void {
  prepare<T>(matrix, workspace)
  const b: usize = load<u32>(offsets, 4)
  const c: usize = load<u32>(offsets, 8)
  const d: usize = load<u32>(offsets, 12)
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << shift<T>()
  let free: u32 = 0
  do {
    let at = state + ((free | value) << shift<T>())
    const end = at + bytes
    do {
      const x = read<W>(at)
      const y = read<W>(at + b)
      const z = read<W>(at + c)
      const w = read<W>(at + d)
      write<W>(at, rowOf<T>(workspace, x, y, z, w))
      write<W>(at + b, rowOf<T>(workspace + 128, x, y, z, w))
      write<W>(at + c, rowOf<T>(workspace + 256, x, y, z, w))
      write<W>(at + d, rowOf<T>(workspace + 384, x, y, z, w))
      at += sizeof<W>()
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/**
 * Applies a real matrix of few entries to several qubits where the controls hold. Each row starts at `rows`
 * with the distance of its amplitude and its number of entries, each of which is the place of an amplitude in
 * `gathered`, in bytes, and a factor. `offsets` lists the distances of the amplitudes from the first.
 */
export function applySparse<T, W>(
  state: usize,
  size: u32,
  fixed: u32,
  value: u32,
  dimension: u32,
  offsets: usize,
  rows: usize,
  gathered: usize,
): void {
  const skip = fixed | (lanes<T, W>() - 1)
  let free: u32 = 0
  do {
    const base = state + ((free | value) << shift<T>())
    for (let row: u32 = 0; row < dimension; row++) {
      v128.store(gathered + (row << 4), read<W>(base + load<u32>(offsets + (row << 2))))
    }
    let at = rows
    for (let row: u32 = 0; row < dimension; row++) {
      const to = base + load<u32>(at)
      const end = at + 16 + (load<u32>(at, 4) << 4)
      let sum = times<T>(v128.load(gathered + load<u32>(at, 16)), real<T>(at + 24))
      at += 32
      for (; at < end; at += 16) {
        sum = plus<T>(sum, times<T>(v128.load(gathered + load<u32>(at)), real<T>(at + 8)))
      }
      write<W>(to, sum)
    }
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}
