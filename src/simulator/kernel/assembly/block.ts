/**
 * Gates on one block of a state, in AssemblyScript with 128-bit vectors of amplitudes of type `T`, of which a
 * pass loads a whole `W` (see `complex.ts`). A block is 2^b contiguous amplitudes; the bits of an index
 * within it are its local qubits. Every loop visits the amplitudes whose fixed bits (targets and controls)
 * have given values, in runs as long as the lowest fixed bit allows; `free` steps from run to run.
 */
import {
  conjugateNegated,
  imaginary,
  lanes,
  plus,
  read,
  real,
  shift,
  swapped,
  times,
  write,
} from './complex.ts'

/** Number of contiguous amplitudes up to the lowest fixed bit, in a block of `size`. */
export function runOf(fixed: u32, size: u32): u32 {
  return fixed === 0 ? size : 1 << ctz(fixed)
}

/** Multiplies the amplitudes with the bits `value` in `fixed` by the complex number at `factor`. */
export function scale<T, W>(state: usize, size: u32, fixed: u32, value: u32, factor: usize): void {
  const re = real<T>(factor)
  const im = imaginary<T>(factor + 8)
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << shift<T>()
  let free: u32 = 0
  do {
    let at = state + ((free | value) << shift<T>())
    const end = at + bytes
    do {
      const x = read<W>(at)
      write<W>(at, plus<T>(times<T>(x, re), times<T>(swapped<T>(x), im)))
      at += sizeof<W>()
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/** Changes the sign of the amplitudes with the bits `value` in `fixed`: a Z with controls. */
export function negate<T, W>(state: usize, size: u32, fixed: u32, value: u32): void {
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << shift<T>()
  let free: u32 = 0
  do {
    let at = state + ((free | value) << shift<T>())
    const end = at + bytes
    do {
      write<W>(at, v128.neg<T>(read<W>(at)))
      at += sizeof<W>()
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/**
 * Exchanges the amplitudes whose bits in `fixed` are `here` with those where they are `there`, which is
 * larger: an X or a swap, with controls.
 */
export function exchange<T, W>(state: usize, size: u32, fixed: u32, here: u32, there: u32): void {
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << shift<T>()
  const far = (there - here) << shift<T>()
  let free: u32 = 0
  do {
    let at = state + ((free | here) << shift<T>())
    const end = at + bytes
    do {
      const x = read<W>(at)
      write<W>(at, read<W>(at + far))
      write<W>(at + far, x)
      at += sizeof<W>()
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/** Applies a real 2 x 2 matrix `[a, b, c, d]` at `matrix` to one qubit where the controls hold. */
export function applyReal<T, W>(
  state: usize,
  size: u32,
  target: u32,
  controls: u32,
  value: u32,
  matrix: usize,
): void {
  const a = real<T>(matrix)
  const b = real<T>(matrix + 16)
  const c = real<T>(matrix + 32)
  const d = real<T>(matrix + 48)
  const fixed = target | controls
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << shift<T>()
  const far = target << shift<T>()
  let free: u32 = 0
  do {
    let at = state + ((free | value) << shift<T>())
    const end = at + bytes
    do {
      const x = read<W>(at)
      const y = read<W>(at + far)
      write<W>(at, plus<T>(times<T>(x, a), times<T>(y, b)))
      write<W>(at + far, plus<T>(times<T>(x, c), times<T>(y, d)))
      at += sizeof<W>()
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/**
 * Applies real 2 x 2 matrices to two qubits, of which `low` is the lower, in one pass: the first is at
 * `matrix`, the second 64 bytes after it.
 */
export function applyRealPair<T, W>(state: usize, size: u32, low: u32, high: u32, matrix: usize): void {
  const a = real<T>(matrix)
  const b = real<T>(matrix + 16)
  const c = real<T>(matrix + 32)
  const d = real<T>(matrix + 48)
  const e = real<T>(matrix + 64)
  const f = real<T>(matrix + 80)
  const g = real<T>(matrix + 96)
  const h = real<T>(matrix + 112)
  const fixed = low | high
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << shift<T>()
  const near = low << shift<T>()
  const far = high << shift<T>()
  let free: u32 = 0
  do {
    let at = state + (free << shift<T>())
    const end = at + bytes
    do {
      const w = read<W>(at)
      const x = read<W>(at + near)
      const y = read<W>(at + far)
      const z = read<W>(at + near + far)
      const p = plus<T>(times<T>(w, a), times<T>(x, b))
      const q = plus<T>(times<T>(w, c), times<T>(x, d))
      const r = plus<T>(times<T>(y, a), times<T>(z, b))
      const s = plus<T>(times<T>(y, c), times<T>(z, d))
      write<W>(at, plus<T>(times<T>(p, e), times<T>(r, f)))
      write<W>(at + near, plus<T>(times<T>(q, e), times<T>(s, f)))
      write<W>(at + far, plus<T>(times<T>(p, g), times<T>(r, h)))
      write<W>(at + near + far, plus<T>(times<T>(q, g), times<T>(s, h)))
      at += sizeof<W>()
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/**
 * Applies `[1, -t, t, 1]` to two qubits, of which `low` is the lower, in one pass: rotations without their
 * cosines, with half the multiplications. The tangent t of the first is at `tangents`, that of the second 8
 * bytes after it.
 */
export function applyRotationPair<T, W>(state: usize, size: u32, low: u32, high: u32, tangents: usize): void {
  const t = real<T>(tangents)
  const u = real<T>(tangents + 8)
  const fixed = low | high
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << shift<T>()
  const near = low << shift<T>()
  const far = high << shift<T>()
  let free: u32 = 0
  do {
    let at = state + (free << shift<T>())
    const end = at + bytes
    do {
      const w = read<W>(at)
      const x = read<W>(at + near)
      const y = read<W>(at + far)
      const z = read<W>(at + near + far)
      const p = v128.sub<T>(w, times<T>(x, t))
      const q = plus<T>(x, times<T>(w, t))
      const r = v128.sub<T>(y, times<T>(z, t))
      const s = plus<T>(z, times<T>(y, t))
      write<W>(at, v128.sub<T>(p, times<T>(r, u)))
      write<W>(at + near, v128.sub<T>(q, times<T>(s, u)))
      write<W>(at + far, plus<T>(r, times<T>(p, u)))
      write<W>(at + near + far, plus<T>(s, times<T>(q, u)))
      at += sizeof<W>()
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/** Applies a complex 2 x 2 matrix, row-major, to one qubit where the controls hold. */
export function applyOne<T, W>(
  state: usize,
  size: u32,
  target: u32,
  controls: u32,
  value: u32,
  matrix: usize,
): void {
  const ar = real<T>(matrix)
  const ai = imaginary<T>(matrix + 8)
  const br = real<T>(matrix + 16)
  const bi = imaginary<T>(matrix + 24)
  const cr = real<T>(matrix + 32)
  const ci = imaginary<T>(matrix + 40)
  const dr = real<T>(matrix + 48)
  const di = imaginary<T>(matrix + 56)
  const fixed = target | controls
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << shift<T>()
  const far = target << shift<T>()
  let free: u32 = 0
  do {
    let at = state + ((free | value) << shift<T>())
    const end = at + bytes
    do {
      const x = read<W>(at)
      const y = read<W>(at + far)
      const xs = swapped<T>(x)
      const ys = swapped<T>(y)
      write<W>(
        at,
        plus<T>(plus<T>(times<T>(x, ar), times<T>(xs, ai)), plus<T>(times<T>(y, br), times<T>(ys, bi))),
      )
      write<W>(
        at + far,
        plus<T>(plus<T>(times<T>(x, cr), times<T>(xs, ci)), plus<T>(times<T>(y, dr), times<T>(ys, di))),
      )
      at += sizeof<W>()
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/**
 * Applies a complex 2^k x 2^k matrix, row-major, to several qubits where the controls hold. `offsets` lists
 * the distances in bytes of the 2^k amplitudes from the first, `fixed` has the bits of targets and controls.
 * `gathered` is memory for 2^k amplitudes.
 */
export function applyMany<T, W>(
  state: usize,
  size: u32,
  fixed: u32,
  value: u32,
  dimension: u32,
  offsets: usize,
  matrix: usize,
  gathered: usize,
): void {
  const skip = fixed | (lanes<T, W>() - 1)
  let free: u32 = 0
  do {
    const base = state + ((free | value) << shift<T>())
    for (let row: u32 = 0; row < dimension; row++) {
      v128.store(gathered + (row << 4), read<W>(base + load<u32>(offsets + (row << 2))))
    }
    let entry = matrix
    for (let row: u32 = 0; row < dimension; row++) {
      let re = f64x2.splat(0)
      let im = f64x2.splat(0)
      for (let column: u32 = 0; column < dimension; column++) {
        const x = v128.load(gathered + (column << 4))
        re = plus<T>(re, times<T>(x, real<T>(entry)))
        im = plus<T>(im, times<T>(x, real<T>(entry + 8)))
        entry += 16
      }
      const turned = conjugateNegated<T>(swapped<T>(im))
      write<W>(base + load<u32>(offsets + (row << 2)), plus<T>(re, turned))
    }
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}
