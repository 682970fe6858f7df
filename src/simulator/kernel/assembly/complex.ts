/**
 * Complex numbers in vectors of 128 bits, real parts first: one of type `f64`, or two of type `f32`. `T` is
 * that type. `W` is the type a pass loads together: `v128`, or `u64` for one number of type `f32`, where
 * neighbors are treated differently.
 */

/** Bytes of a complex number of type `f64`, as a power of two. */
export const AMPLITUDE: u32 = 4

/** Bytes of a complex number, as a power of two. */
export function shift<T>(): u32 {
  return sizeof<T>() === 8 ? 4 : 3
}

/** Complex numbers that a pass loads together. */
export function lanes<T, W>(): u32 {
  return sizeof<W>() === 16 && sizeof<T>() === 4 ? 2 : 1
}

export function read<W>(at: usize): v128 {
  return sizeof<W>() === 16 ? v128.load(at) : v128.load64_zero(at)
}

export function write<W>(at: usize, x: v128): void {
  if (sizeof<W>() === 16) v128.store(at, x)
  else v128.store64_lane(at, x, 0)
}

/** Reads one complex number. */
export function readOne<T>(at: usize): v128 {
  return sizeof<T>() === 8 ? v128.load(at) : v128.load64_zero(at)
}

/** Writes one complex number. */
export function writeOne<T>(at: usize, x: v128): void {
  if (sizeof<T>() === 8) v128.store(at, x)
  else v128.store64_lane(at, x, 0)
}

/** Reads one complex number of a table of the host, which is of type `f64`. */
export function fromTable<T>(at: usize): v128 {
  return sizeof<T>() === 8 ? v128.load(at) : f32x4.demote_f64x2_zero(v128.load(at))
}

/** Reads one complex number as two numbers of type `f64`. */
export function widened<T>(at: usize): v128 {
  return sizeof<T>() === 8 ? v128.load(at) : f64x2.promote_low_f32x4(v128.load64_zero(at))
}

/** The numbers with real and imaginary parts exchanged. */
export function swapped<T>(x: v128): v128 {
  return sizeof<T>() === 8 ? v128.shuffle<f64>(x, x, 1, 0) : v128.shuffle<f32>(x, x, 1, 0, 3, 2)
}

/** The real parts, each twice. */
export function realOf<T>(x: v128): v128 {
  return sizeof<T>() === 8 ? v128.shuffle<f64>(x, x, 0, 0) : v128.shuffle<f32>(x, x, 0, 0, 2, 2)
}

/** The imaginary parts, each twice, negative first: with `swapped` they multiply by the imaginary part. */
export function imaginaryOf<T>(x: v128): v128 {
  return sizeof<T>() === 8
    ? v128.xor(v128.shuffle<f64>(x, x, 1, 1), f64x2(-0.0, 0.0))
    : v128.xor(v128.shuffle<f32>(x, x, 1, 1, 3, 3), f32x4(-0.0, 0.0, -0.0, 0.0))
}

/** The numbers with the signs of their real parts changed. */
export function conjugateNegated<T>(x: v128): v128 {
  return sizeof<T>() === 8 ? v128.xor(x, f64x2(-0.0, 0.0)) : v128.xor(x, f32x4(-0.0, 0.0, -0.0, 0.0))
}

/** One complex number in every place of a vector. */
export function everywhere<T>(x: v128): v128 {
  return sizeof<T>() === 8 ? x : v128.shuffle<f64>(x, x, 0, 0)
}

/** A real number of a table of the host, in every place. */
export function real<T>(at: usize): v128 {
  return sizeof<T>() === 8 ? v128.load64_splat(at) : f32x4.splat(<f32>load<f64>(at))
}

/** [-x, x] for a number of a table of the host: with `swapped` it multiplies by the imaginary number ix. */
export function imaginary<T>(at: usize): v128 {
  return conjugateNegated<T>(real<T>(at))
}

export function plus<T>(x: v128, y: v128): v128 {
  return v128.add<T>(x, y)
}

export function times<T>(x: v128, y: v128): v128 {
  return v128.mul<T>(x, y)
}

/** The products of complex numbers. */
export function product<T>(x: v128, y: v128): v128 {
  return plus<T>(times<T>(x, realOf<T>(y)), times<T>(swapped<T>(x), imaginaryOf<T>(y)))
}
