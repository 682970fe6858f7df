/**
 * Products of complex matrices, row-major with interleaved parts: one vector is one element. Each function
 * computes some rows of its result, so that the host can look at the clock between calls.
 */
import { AMPLITUDE } from './complex.ts'

/** Rows from which on copying columns takes less time than reading them far apart. */
const MIN_PACKED_ROWS: u32 = 8

/** An element with real and imaginary part exchanged. */
function swapped(x: v128): v128 {
  return v128.shuffle<f64>(x, x, 1, 0)
}

/** x + iy. */
function joined(x: v128, y: v128): v128 {
  return f64x2.add(x, v128.xor(swapped(y), f64x2(-0.0, 0.0)))
}

/**
 * One element of the product: a row at `a` times a column at `b`, whose elements are `stride` bytes apart.
 */
function element(a: usize, b: usize, stride: usize, inner: u32): v128 {
  let re = f64x2.splat(0)
  let im = f64x2.splat(0)
  for (let at: u32 = 0; at < inner; at++, a += 16, b += stride) {
    const x = v128.load(b)
    re = f64x2.add(re, f64x2.mul(v128.load64_splat(a), x))
    im = f64x2.add(im, f64x2.mul(v128.load64_splat(a, 8), x))
  }
  return joined(re, im)
}

/**
 * Two rows of the product by two columns, of which rows are `step` bytes apart: each element that is loaded
 * counts twice. Rows of the product are `stride` bytes long.
 */
function tile(a: usize, b: usize, step: usize, c: usize, inner: u32, stride: usize): void {
  const second = a + ((<usize>inner) << AMPLITUDE)
  const below = c + stride
  let re00 = f64x2.splat(0)
  let im00 = f64x2.splat(0)
  let re01 = f64x2.splat(0)
  let im01 = f64x2.splat(0)
  let re10 = f64x2.splat(0)
  let im10 = f64x2.splat(0)
  let re11 = f64x2.splat(0)
  let im11 = f64x2.splat(0)
  const end = second
  for (let from = second; a < end; a += 16, from += 16, b += step) {
    const x = v128.load(b)
    const y = v128.load(b, 16)
    const p = v128.load64_splat(a)
    re00 = f64x2.add(re00, f64x2.mul(p, x))
    re01 = f64x2.add(re01, f64x2.mul(p, y))
    const q = v128.load64_splat(a, 8)
    im00 = f64x2.add(im00, f64x2.mul(q, x))
    im01 = f64x2.add(im01, f64x2.mul(q, y))
    const r = v128.load64_splat(from)
    re10 = f64x2.add(re10, f64x2.mul(r, x))
    re11 = f64x2.add(re11, f64x2.mul(r, y))
    const s = v128.load64_splat(from, 8)
    im10 = f64x2.add(im10, f64x2.mul(s, x))
    im11 = f64x2.add(im11, f64x2.mul(s, y))
  }
  v128.store(c, joined(re00, im00))
  v128.store(c, joined(re01, im01), 16)
  v128.store(below, joined(re10, im10))
  v128.store(below, joined(re11, im11), 16)
}

/** Copies two columns of `rows` rows next to one another, so that a row is near the next in memory. */
function pack(b: usize, stride: usize, rows: u32, panel: usize): void {
  for (let row: u32 = 0; row < rows; row++, b += stride, panel += 32) {
    v128.store(panel, v128.load(b))
    v128.store(panel, v128.load(b, 16), 16)
  }
}

/**
 * Rows `from` to `to` of a b, where `a` has `inner` columns and `b` has `columns`; `panel` is room for two
 * columns of `b`.
 */
export function multiply(
  a: usize,
  b: usize,
  c: usize,
  inner: u32,
  columns: u32,
  from: u32,
  to: u32,
  panel: usize,
): void {
  const stride = (<usize>columns) << AMPLITUDE
  const width = (<usize>inner) << AMPLITUDE
  const isPacked = to - from >= MIN_PACKED_ROWS
  const even = from + ((to - from) & ~1)
  let column: usize = 0
  for (; column + 16 < stride; column += 32) {
    if (isPacked) pack(b + column, stride, inner, panel)
    const source = isPacked ? panel : b + column
    const step = isPacked ? 32 : stride
    for (let row = from; row < even; row += 2) {
      tile(a + row * width, source, step, c + row * stride + column, inner, stride)
    }
  }
  if (column < stride) {
    for (let row = from; row < even; row++) {
      v128.store(c + row * stride + column, element(a + row * width, b + column, stride, inner))
    }
  }
  if (even === to) return
  for (column = 0; column < stride; column += 16) {
    v128.store(c + even * stride + column, element(a + even * width, b + column, stride, inner))
  }
}

/** Σ x y* of the elements from `a` to `end` with those from `b` on. */
function overlap(a: usize, end: usize, b: usize): v128 {
  let same = f64x2.splat(0)
  let crossed = f64x2.splat(0)
  let nextSame = f64x2.splat(0)
  let nextCrossed = f64x2.splat(0)
  // Two at a time, because each sum waits for its last addition.
  for (; a + 16 < end; a += 32, b += 32) {
    const x = v128.load(a)
    const y = v128.load(b)
    same = f64x2.add(same, f64x2.mul(x, y))
    crossed = f64x2.add(crossed, f64x2.mul(swapped(x), y))
    const p = v128.load(a, 16)
    const q = v128.load(b, 16)
    nextSame = f64x2.add(nextSame, f64x2.mul(p, q))
    nextCrossed = f64x2.add(nextCrossed, f64x2.mul(swapped(p), q))
  }
  if (a < end) {
    const x = v128.load(a)
    const y = v128.load(b)
    same = f64x2.add(same, f64x2.mul(x, y))
    crossed = f64x2.add(crossed, f64x2.mul(swapped(x), y))
  }
  same = f64x2.add(same, nextSame)
  crossed = f64x2.add(crossed, nextCrossed)
  return f64x2(
    f64x2.extract_lane(same, 0) + f64x2.extract_lane(same, 1),
    f64x2.extract_lane(crossed, 0) - f64x2.extract_lane(crossed, 1),
  )
}

/** Rows `from` to `to` of the lower half of m m†, diagonal included. */
export function gram(m: usize, result: usize, rows: u32, columns: u32, from: u32, to: u32): void {
  const width = (<usize>columns) << AMPLITUDE
  for (let row = from; row < to; row++) {
    const own = m + row * width
    const out = result + ((<usize>row * rows) << AMPLITUDE)
    for (let other: u32 = 0; other <= row; other++) {
      v128.store(out + ((<usize>other) << AMPLITUDE), overlap(own, own + width, m + other * width))
    }
  }
}

/** Writes the adjoint of a matrix. */
export function adjoint(m: usize, result: usize, rows: u32, columns: u32): void {
  const conjugate = f64x2(0.0, -0.0)
  for (let row: u32 = 0; row < rows; row++) {
    for (let column: u32 = 0; column < columns; column++, m += 16) {
      v128.store(result + ((<usize>column * rows + row) << AMPLITUDE), v128.xor(v128.load(m), conjugate))
    }
  }
}

/** Subtracts from the row at `at` its part along the unit row at `unit`. */
function subtractPart(at: usize, end: usize, unit: usize): void {
  const part = overlap(at, end, unit)
  const re = v128.shuffle<f64>(part, part, 0, 0)
  const im = f64x2(-f64x2.extract_lane(part, 1), f64x2.extract_lane(part, 1))
  for (; at < end; at += 16, unit += 16) {
    const x = v128.load(unit)
    const along = f64x2.add(f64x2.mul(x, re), f64x2.mul(swapped(x), im))
    v128.store(at, f64x2.sub(v128.load(at), along))
  }
}

/** Σ |x|² of the elements from `at` to `end`. */
function weigh(at: usize, end: usize): f64 {
  let sum = f64x2.splat(0)
  for (; at < end; at += 16) {
    const x = v128.load(at)
    sum = f64x2.add(sum, f64x2.mul(x, x))
  }
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)
}

/**
 * Replaces the row `row` of a matrix, of which the first `kept` are orthonormal, by a further one of them, at
 * place `kept`; a row that is their combination to within `rounding` of its weight is left out. Returns how
 * many are orthonormal now. Gram and Schmidt's method done twice ("twice is enough", Kahan and Parlett).
 */
export function orthonormalize(m: usize, columns: u32, kept: u32, row: u32, rounding: f64): u32 {
  const width = (<usize>columns) << AMPLITUDE
  const at = m + row * width
  const end = at + width
  const before = weigh(at, end)
  for (let round = 0; round < 2; round++) {
    for (let other: u32 = 0; other < kept; other++) subtractPart(at, end, m + other * width)
  }
  const weight = weigh(at, end)
  if (weight === 0 || weight <= rounding * before) return kept
  const factor = f64x2.splat(1 / Math.sqrt(weight))
  const to = m + kept * width
  for (let part: usize = 0; part < width; part += 16) {
    v128.store(to + part, f64x2.mul(v128.load(at + part), factor))
  }
  return kept + 1
}
