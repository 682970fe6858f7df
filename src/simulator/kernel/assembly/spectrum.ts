/**
 * Eigenvectors of a Hermitian matrix: Householder's reflections to a tridiagonal matrix, made real by phases,
 * then implicit QL (Martin and Wilkinson, Numer. Math. 12, 377, 1968; Golub and Van Loan, "Matrix
 * Computations", 8.3). Complex matrices are row-major with interleaved parts, one vector an element. Each
 * function does a part of the work, so that the host can look at the clock between calls.
 */
import { AMPLITUDE } from './complex.ts'

/** Off-diagonal elements below this share of their neighbors, or of the matrix, count as zero. */
const EPSILON: f64 = 1.1102230246251565e-16
/** Rotations per eigenvalue after which an off-diagonal element counts as zero; two are usual. */
const MAX_STEPS: u32 = 60

function swapped(x: v128): v128 {
  return v128.shuffle<f64>(x, x, 1, 0)
}

/** x y, for `y` given as [re, re] and [-im, im]. */
function times(x: v128, re: v128, im: v128): v128 {
  return f64x2.add(f64x2.mul(x, re), f64x2.mul(swapped(x), im))
}

/**
 * Copies column `step` below the diagonal to `u` as a vector for the reflection 1 - u u† that leaves its
 * first element only; returns that element.
 */
function reflect(a: usize, size: u32, step: u32, u: usize): v128 {
  const stride = (<usize>size) << AMPLITUDE
  const length = size - step - 1
  let at = a + (step + 1) * stride + ((<usize>step) << AMPLITUDE)
  let rest: f64 = 0
  for (let row: u32 = 0; row < length; row++, at += stride) {
    const x = v128.load(at)
    v128.store(u + ((<usize>row) << AMPLITUDE), x)
    if (row === 0) continue
    const square = f64x2.mul(x, x)
    rest += f64x2.extract_lane(square, 0) + f64x2.extract_lane(square, 1)
  }
  const first = v128.load(u)
  const re = f64x2.extract_lane(first, 0)
  const im = f64x2.extract_lane(first, 1)
  if (rest === 0) {
    memory.fill(u, 0, (<usize>length) << AMPLITUDE)
    return first
  }
  const head = Math.sqrt(re * re + im * im)
  const norm = Math.sqrt(head * head + rest)
  // The sign that does not cancel: u = x + phase · norm · e, with |u|² = 2 norm (norm + head).
  const phaseRe = head === 0 ? 1.0 : re / head
  const phaseIm = head === 0 ? 0.0 : im / head
  v128.store(u, f64x2(re + phaseRe * norm, im + phaseIm * norm))
  const factor = f64x2.splat(1 / Math.sqrt(norm * (norm + head)))
  for (let row: u32 = 0; row < length; row++) {
    const place = u + ((<usize>row) << AMPLITUDE)
    v128.store(place, f64x2.mul(v128.load(place), factor))
  }
  return f64x2(-phaseRe * norm, -phaseIm * norm)
}

/** w = a u - ½ (u† a u) u for the Hermitian matrix whose lower half begins at `a`. */
function project(a: usize, stride: usize, length: u32, u: usize, w: usize): void {
  memory.fill(w, 0, (<usize>length) << AMPLITUDE)
  let expected: f64 = 0
  for (let row: u32 = 0; row < length; row++) {
    const at = a + row * stride
    const own = v128.load(u + ((<usize>row) << AMPLITUDE))
    const re = f64x2.extract_lane(own, 0)
    const im = f64x2.extract_lane(own, 1)
    const conjugateRe = f64x2(re, -re)
    const conjugateIm = f64x2.splat(im)
    let same = f64x2.splat(0)
    let crossed = f64x2.splat(0)
    const end = (<usize>row) << AMPLITUDE
    for (let column: usize = 0; column < end; column += 16) {
      const x = v128.load(at + column)
      const y = v128.load(u + column)
      same = f64x2.add(same, f64x2.mul(x, y))
      crossed = f64x2.add(crossed, f64x2.mul(swapped(x), y))
      // The upper half: the conjugate of x times the element of this row.
      const mirrored = f64x2.add(f64x2.mul(x, conjugateRe), f64x2.mul(swapped(x), conjugateIm))
      v128.store(w + column, f64x2.add(v128.load(w + column), mirrored))
    }
    const diagonal = load<f64>(at + end)
    const sum = f64x2(
      f64x2.extract_lane(same, 0) - f64x2.extract_lane(same, 1) + diagonal * re,
      f64x2.extract_lane(crossed, 0) + f64x2.extract_lane(crossed, 1) + diagonal * im,
    )
    v128.store(w + end, f64x2.add(v128.load(w + end), sum))
  }
  for (let row: u32 = 0; row < length; row++) {
    const x = f64x2.mul(
      v128.load(u + ((<usize>row) << AMPLITUDE)),
      v128.load(w + ((<usize>row) << AMPLITUDE)),
    )
    expected += f64x2.extract_lane(x, 0) + f64x2.extract_lane(x, 1)
  }
  const half = f64x2.splat(0.5 * expected)
  for (let row: u32 = 0; row < length; row++) {
    const place = w + ((<usize>row) << AMPLITUDE)
    v128.store(
      place,
      f64x2.sub(v128.load(place), f64x2.mul(v128.load(u + ((<usize>row) << AMPLITUDE)), half)),
    )
  }
}

/** Subtracts u w† + w u† from the lower half at `a`. */
function subtract(a: usize, stride: usize, length: u32, u: usize, w: usize): void {
  for (let row: u32 = 0; row < length; row++) {
    const at = a + row * stride
    const end = (<usize>row) << AMPLITUDE
    const x = v128.load(u + end)
    const y = v128.load(w + end)
    // (conjugate of z) · x = [re, -re] · z + im · swapped(z), with the parts of x.
    const xRe = f64x2(f64x2.extract_lane(x, 0), -f64x2.extract_lane(x, 0))
    const xIm = f64x2.splat(f64x2.extract_lane(x, 1))
    const yRe = f64x2(f64x2.extract_lane(y, 0), -f64x2.extract_lane(y, 0))
    const yIm = f64x2.splat(f64x2.extract_lane(y, 1))
    for (let column: usize = 0; column <= end; column += 16) {
      const p = v128.load(w + column)
      const q = v128.load(u + column)
      const first = f64x2.add(f64x2.mul(p, xRe), f64x2.mul(swapped(p), xIm))
      const second = f64x2.add(f64x2.mul(q, yRe), f64x2.mul(swapped(q), yIm))
      v128.store(at + column, f64x2.sub(v128.load(at + column), f64x2.add(first, second)))
    }
  }
}

/**
 * Steps `from` to `to` of `size` of the reduction of the lower half at `a` to a tridiagonal matrix: real
 * diagonal to `d`, magnitudes of the elements beside it to `e`, vectors of the reflections to the rows of
 * `u`, phases that make the elements real to `phases`. `w` is room for a vector.
 */
export function tridiagonalize(
  a: usize,
  size: u32,
  from: u32,
  to: u32,
  u: usize,
  w: usize,
  d: usize,
  e: usize,
  phases: usize,
): void {
  const stride = (<usize>size) << AMPLITUDE
  if (from === 0) v128.store(phases, f64x2(1, 0))
  for (let step = from; step < to; step++) {
    const diagonal = a + step * stride + ((<usize>step) << AMPLITUDE)
    store<f64>(d + (step << 3), load<f64>(diagonal))
    store<f64>(e + (step << 3), 0)
    if (step + 1 === size) return
    const vector = u + step * stride
    const left = reflect(a, size, step, vector)
    const re = f64x2.extract_lane(left, 0)
    const im = f64x2.extract_lane(left, 1)
    const magnitude = Math.sqrt(re * re + im * im)
    store<f64>(e + (step << 3), magnitude)
    const own = v128.load(phases + ((<usize>step) << AMPLITUDE))
    const turned =
      magnitude === 0 ? own : times(own, f64x2.splat(re / magnitude), f64x2(-im / magnitude, im / magnitude))
    v128.store(phases + ((<usize>(step + 1)) << AMPLITUDE), turned)
    const rest = diagonal + stride + 16
    project(rest, stride, size - step - 1, vector, w)
    subtract(rest, stride, size - step - 1, vector, w)
  }
}

/** Rotates two rows of `bytes` bytes of real numbers. */
function rotate(upper: usize, lower: usize, bytes: usize, cos: f64, sin: f64): void {
  const c = f64x2.splat(cos)
  const s = f64x2.splat(sin)
  for (let at: usize = 0; at < bytes; at += 16) {
    const x = v128.load(upper + at)
    const y = v128.load(lower + at)
    v128.store(lower + at, f64x2.add(f64x2.mul(s, x), f64x2.mul(c, y)))
    v128.store(upper + at, f64x2.sub(f64x2.mul(c, x), f64x2.mul(s, y)))
  }
}

/** The last place of the block that begins at `low`: the first whose element beside counts as zero. */
function blockEnd(d: usize, e: usize, size: u32, low: u32, nothing: f64): u32 {
  let high = low
  for (; high + 1 < size; high++) {
    const beside = Math.abs(load<f64>(d + (high << 3))) + Math.abs(load<f64>(d + (high << 3), 8))
    if (Math.abs(load<f64>(e + (high << 3))) <= EPSILON * beside + nothing) break
  }
  return high
}

/** One implicit QL step, with Wilkinson's shift, on the block from `low` to `high`. */
function step(d: usize, e: usize, z: usize, bytes: usize, low: u32, high: u32): void {
  const first = load<f64>(d + (low << 3))
  const beside = load<f64>(e + (low << 3))
  let g = (load<f64>(d + (low << 3), 8) - first) / (2 * beside)
  let r = Math.sqrt(g * g + 1)
  g = load<f64>(d + (high << 3)) - first + beside / (g + (g < 0 ? -r : r))
  let sin: f64 = 1
  let cos: f64 = 1
  let p: f64 = 0
  for (let place = high; place > low; place--) {
    const at = d + ((place - 1) << 3)
    const off = e + ((place - 1) << 3)
    const f = sin * load<f64>(off)
    const b = cos * load<f64>(off)
    r = Math.sqrt(f * f + g * g)
    store<f64>(off, r, 8)
    if (r === 0) {
      store<f64>(at, load<f64>(at, 8) - p, 8)
      store<f64>(e + (high << 3), 0)
      return
    }
    sin = f / r
    cos = g / r
    g = load<f64>(at, 8) - p
    r = (load<f64>(at) - g) * sin + 2 * cos * b
    p = sin * r
    store<f64>(at, g + p, 8)
    g = cos * r - b
    rotate(z + (place - 1) * bytes, z + place * bytes, bytes, cos, sin)
  }
  store<f64>(d + (low << 3), load<f64>(d + (low << 3)) - p)
  store<f64>(e + (low << 3), g)
  store<f64>(e + (high << 3), 0)
}

/**
 * Diagonalizes a real symmetric tridiagonal matrix of `size` by implicit QL: eigenvalues `from` to `to` of
 * `d` become final, and the rows of `z`, each of an even number of reals, are rotated likewise; `norm` is the
 * largest magnitude of the matrix.
 */
export function diagonalize(d: usize, e: usize, z: usize, size: u32, from: u32, to: u32, norm: f64): void {
  const bytes = (<usize>((size + 1) & ~1)) << 3
  const nothing = EPSILON * EPSILON * norm
  for (let low = from; low < to; low++) {
    for (let steps: u32 = 0; steps < MAX_STEPS; steps++) {
      const high = blockEnd(d, e, size, low, nothing)
      if (high === low) break
      step(d, e, z, bytes, low, high)
    }
    store<f64>(e + (low << 3), 0)
  }
}

/**
 * Writes to the row at `out` the conjugate of the eigenvector whose row of `z` is at `z`: phases, then all
 * reflections, the last first.
 */
export function transformBack(z: usize, size: u32, u: usize, phases: usize, out: usize): void {
  const stride = (<usize>size) << AMPLITUDE
  for (let place: u32 = 0; place < size; place++) {
    const real = v128.load64_splat(z + (place << 3))
    v128.store(
      out + ((<usize>place) << AMPLITUDE),
      f64x2.mul(v128.load(phases + ((<usize>place) << AMPLITUDE)), real),
    )
  }
  for (let step = <i32>size - 2; step >= 0; step--) {
    const vector = u + step * stride
    const at = out + ((<usize>(step + 1)) << AMPLITUDE)
    const length = (<usize>(size - step - 1)) << AMPLITUDE
    let same = f64x2.splat(0)
    let crossed = f64x2.splat(0)
    for (let part: usize = 0; part < length; part += 16) {
      const x = v128.load(at + part)
      const y = v128.load(vector + part)
      same = f64x2.add(same, f64x2.mul(x, y))
      crossed = f64x2.add(crossed, f64x2.mul(swapped(x), y))
    }
    // x y* summed: the overlap of the vector with the reflection's.
    const re = f64x2.splat(f64x2.extract_lane(same, 0) + f64x2.extract_lane(same, 1))
    const along = f64x2.extract_lane(crossed, 0) - f64x2.extract_lane(crossed, 1)
    const im = f64x2(-along, along)
    for (let part: usize = 0; part < length; part += 16) {
      const x = v128.load(vector + part)
      v128.store(at + part, f64x2.sub(v128.load(at + part), times(x, re, im)))
    }
  }
  const conjugate = f64x2(0.0, -0.0)
  for (let part: usize = 0; part < stride; part += 16) {
    v128.store(out + part, v128.xor(v128.load(out + part), conjugate))
  }
}
