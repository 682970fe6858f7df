/**
 * Gates on one block of a state, in AssemblyScript with 128-bit vectors: one vector is one amplitude, real
 * part first. A block is 2^b contiguous amplitudes; the bits of an index within it are its local qubits.
 * Every loop visits the amplitudes whose fixed bits (targets and controls) have given values, in runs as long
 * as the lowest fixed bit allows; `free` steps from run to run.
 */

/** Bytes of one amplitude, as a power of two. */
export const AMPLITUDE: u32 = 4

/** An amplitude with real and imaginary part exchanged. */
function swapped(x: v128): v128 {
  return v128.shuffle<f64>(x, x, 1, 0)
}

/** [-x, x]: with `swapped` it multiplies by the imaginary number ix. */
function imaginary(x: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(-x), 1, x)
}

/** Number of contiguous amplitudes up to the lowest fixed bit, in a block of `size`. */
export function runOf(fixed: u32, size: u32): u32 {
  return fixed === 0 ? size : 1 << ctz(fixed)
}

/** The product of two complex numbers. */
export function product(x: v128, y: v128): v128 {
  const real = v128.shuffle<f64>(y, y, 0, 0)
  const imag = v128.shuffle<f64>(y, y, 1, 1)
  const turned = f64x2.mul(swapped(x), imag)
  return f64x2.add(f64x2.mul(x, real), v128.xor(turned, f64x2(-0.0, 0.0)))
}

/** Multiplies the amplitudes with the bits `value` in `fixed` by the complex number at `factor`. */
export function scale(state: usize, size: u32, fixed: u32, value: u32, factor: usize): void {
  const re = f64x2.splat(load<f64>(factor))
  const im = imaginary(load<f64>(factor, 8))
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << AMPLITUDE
  let free: u32 = 0
  do {
    let at = state + ((free | value) << AMPLITUDE)
    const end = at + bytes
    do {
      const x = v128.load(at)
      v128.store(at, f64x2.add(f64x2.mul(x, re), f64x2.mul(swapped(x), im)))
      at += 16
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/** Changes the sign of the amplitudes with the bits `value` in `fixed`: a Z with controls. */
export function negate(state: usize, size: u32, fixed: u32, value: u32): void {
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << AMPLITUDE
  let free: u32 = 0
  do {
    let at = state + ((free | value) << AMPLITUDE)
    const end = at + bytes
    do {
      v128.store(at, f64x2.neg(v128.load(at)))
      at += 16
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/**
 * Exchanges the amplitudes whose bits in `fixed` are `here` with those where they are `there`, which is
 * larger: an X or a swap, with controls.
 */
export function exchange(state: usize, size: u32, fixed: u32, here: u32, there: u32): void {
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << AMPLITUDE
  const far = (there - here) << AMPLITUDE
  let free: u32 = 0
  do {
    let at = state + ((free | here) << AMPLITUDE)
    const end = at + bytes
    do {
      const x = v128.load(at)
      v128.store(at, v128.load(at + far))
      v128.store(at + far, x)
      at += 16
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/** Applies a real 2 x 2 matrix `[a, b, c, d]` at `matrix` to one qubit where the controls hold. */
export function applyReal(
  state: usize,
  size: u32,
  target: u32,
  controls: u32,
  value: u32,
  matrix: usize,
): void {
  const a = f64x2.splat(load<f64>(matrix))
  const b = f64x2.splat(load<f64>(matrix, 16))
  const c = f64x2.splat(load<f64>(matrix, 32))
  const d = f64x2.splat(load<f64>(matrix, 48))
  const fixed = target | controls
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << AMPLITUDE
  const far = target << AMPLITUDE
  let free: u32 = 0
  do {
    let at = state + ((free | value) << AMPLITUDE)
    const end = at + bytes
    do {
      const x = v128.load(at)
      const y = v128.load(at + far)
      v128.store(at, f64x2.add(f64x2.mul(x, a), f64x2.mul(y, b)))
      v128.store(at + far, f64x2.add(f64x2.mul(x, c), f64x2.mul(y, d)))
      at += 16
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/**
 * Applies real 2 x 2 matrices to two qubits, of which `low` is the lower, in one pass: the first is at
 * `matrix`, the second 64 bytes after it.
 */
export function applyRealPair(state: usize, size: u32, low: u32, high: u32, matrix: usize): void {
  const a = f64x2.splat(load<f64>(matrix))
  const b = f64x2.splat(load<f64>(matrix, 16))
  const c = f64x2.splat(load<f64>(matrix, 32))
  const d = f64x2.splat(load<f64>(matrix, 48))
  const e = f64x2.splat(load<f64>(matrix, 64))
  const f = f64x2.splat(load<f64>(matrix, 80))
  const g = f64x2.splat(load<f64>(matrix, 96))
  const h = f64x2.splat(load<f64>(matrix, 112))
  const fixed = low | high
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << AMPLITUDE
  const near = low << AMPLITUDE
  const far = high << AMPLITUDE
  let free: u32 = 0
  do {
    let at = state + (free << AMPLITUDE)
    const end = at + bytes
    do {
      const w = v128.load(at)
      const x = v128.load(at + near)
      const y = v128.load(at + far)
      const z = v128.load(at + near + far)
      const p = f64x2.add(f64x2.mul(w, a), f64x2.mul(x, b))
      const q = f64x2.add(f64x2.mul(w, c), f64x2.mul(x, d))
      const r = f64x2.add(f64x2.mul(y, a), f64x2.mul(z, b))
      const s = f64x2.add(f64x2.mul(y, c), f64x2.mul(z, d))
      v128.store(at, f64x2.add(f64x2.mul(p, e), f64x2.mul(r, f)))
      v128.store(at + near, f64x2.add(f64x2.mul(q, e), f64x2.mul(s, f)))
      v128.store(at + far, f64x2.add(f64x2.mul(p, g), f64x2.mul(r, h)))
      v128.store(at + near + far, f64x2.add(f64x2.mul(q, g), f64x2.mul(s, h)))
      at += 16
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/**
 * Applies `[1, -t, t, 1]` to two qubits, of which `low` is the lower, in one pass: rotations without their
 * cosines, with half the multiplications. The tangent t of the first is at `tangents`, that of the second 8
 * bytes after it.
 */
export function applyRotationPair(state: usize, size: u32, low: u32, high: u32, tangents: usize): void {
  const t = v128.load_splat<f64>(tangents)
  const u = v128.load_splat<f64>(tangents, 8)
  const fixed = low | high
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << AMPLITUDE
  const near = low << AMPLITUDE
  const far = high << AMPLITUDE
  let free: u32 = 0
  do {
    let at = state + (free << AMPLITUDE)
    const end = at + bytes
    do {
      const w = v128.load(at)
      const x = v128.load(at + near)
      const y = v128.load(at + far)
      const z = v128.load(at + near + far)
      const p = f64x2.sub(w, f64x2.mul(x, t))
      const q = f64x2.add(x, f64x2.mul(w, t))
      const r = f64x2.sub(y, f64x2.mul(z, t))
      const s = f64x2.add(z, f64x2.mul(y, t))
      v128.store(at, f64x2.sub(p, f64x2.mul(r, u)))
      v128.store(at + near, f64x2.sub(q, f64x2.mul(s, u)))
      v128.store(at + far, f64x2.add(r, f64x2.mul(p, u)))
      v128.store(at + near + far, f64x2.add(s, f64x2.mul(q, u)))
      at += 16
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/** Applies a complex 2 x 2 matrix, row-major, to one qubit where the controls hold. */
export function applyOne(
  state: usize,
  size: u32,
  target: u32,
  controls: u32,
  value: u32,
  matrix: usize,
): void {
  const ar = f64x2.splat(load<f64>(matrix))
  const ai = imaginary(load<f64>(matrix, 8))
  const br = f64x2.splat(load<f64>(matrix, 16))
  const bi = imaginary(load<f64>(matrix, 24))
  const cr = f64x2.splat(load<f64>(matrix, 32))
  const ci = imaginary(load<f64>(matrix, 40))
  const dr = f64x2.splat(load<f64>(matrix, 48))
  const di = imaginary(load<f64>(matrix, 56))
  const fixed = target | controls
  const run = runOf(fixed, size)
  const skip = fixed | (run - 1)
  const bytes = run << AMPLITUDE
  const far = target << AMPLITUDE
  let free: u32 = 0
  do {
    let at = state + ((free | value) << AMPLITUDE)
    const end = at + bytes
    do {
      const x = v128.load(at)
      const y = v128.load(at + far)
      const xs = swapped(x)
      const ys = swapped(y)
      v128.store(
        at,
        f64x2.add(
          f64x2.add(f64x2.mul(x, ar), f64x2.mul(xs, ai)),
          f64x2.add(f64x2.mul(y, br), f64x2.mul(ys, bi)),
        ),
      )
      v128.store(
        at + far,
        f64x2.add(
          f64x2.add(f64x2.mul(x, cr), f64x2.mul(xs, ci)),
          f64x2.add(f64x2.mul(y, dr), f64x2.mul(ys, di)),
        ),
      )
      at += 16
    } while (at < end)
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
}

/**
 * Applies a complex 2^k x 2^k matrix, row-major, to several qubits where the controls hold. `offsets` lists
 * the distances in bytes of the 2^k amplitudes from the first, `fixed` has the bits of targets and controls.
 * `gathered` is memory for 2^k amplitudes.
 */
export function applyMany(
  state: usize,
  size: u32,
  fixed: u32,
  value: u32,
  dimension: u32,
  offsets: usize,
  matrix: usize,
  gathered: usize,
): void {
  let free: u32 = 0
  do {
    const base = state + ((free | value) << AMPLITUDE)
    for (let row: u32 = 0; row < dimension; row++) {
      v128.store(gathered + (row << AMPLITUDE), v128.load(base + load<u32>(offsets + (row << 2))))
    }
    let entry = matrix
    for (let row: u32 = 0; row < dimension; row++) {
      let real = f64x2.splat(0)
      let imag = f64x2.splat(0)
      for (let column: u32 = 0; column < dimension; column++) {
        const x = v128.load(gathered + (column << AMPLITUDE))
        real = f64x2.add(real, f64x2.mul(x, v128.load_splat<f64>(entry)))
        imag = f64x2.add(imag, f64x2.mul(x, v128.load_splat<f64>(entry, 8)))
        entry += 16
      }
      const turned = v128.xor(swapped(imag), f64x2(-0.0, 0.0))
      v128.store(base + load<u32>(offsets + (row << 2)), f64x2.add(real, turned))
    }
    free = ((free | fixed) + 1) & ~fixed
  } while (free < size)
}
