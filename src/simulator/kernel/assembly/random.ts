/**
 * Philox4x32 with 10 rounds, as in `numeric/random.ts`, which cites the source: here for four shots together,
 * one in each lane of a vector. Both generate the same numbers.
 */
const MULTIPLIER_A: u32 = 0xd2511f53
const MULTIPLIER_B: u32 = 0xcd9e8d57
const WEYL_A: u32 = 0x9e3779b9
const WEYL_B: u32 = 0xbb67ae85

/** Shots in a vector. */
const LANES: u32 = 4

/** Uniform numbers with 53 random bits, of the high and the low words of the lower two lanes. */
function uniform(high: v128, low: v128): v128 {
  const upper = f64x2.mul(f64x2.convert_low_i32x4_u(i32x4.shr_u(high, 5)), f64x2.splat(67108864))
  const sum = f64x2.add(upper, f64x2.convert_low_i32x4_u(i32x4.shr_u(low, 6)))
  return f64x2.mul(sum, f64x2.splat(1.0 / 9007199254740992))
}

/**
 * Writes a uniform number in [0, 1) for each of `count` shots, whose numbers are at `shots`, to `draws`: the
 * first of block `block` of the shot's sub-stream. Up to three more numbers may be written after them.
 */
export function drawUniform(
  keyA: u32,
  keyB: u32,
  stream: u32,
  purpose: u32,
  block: u32,
  shots: usize,
  count: u32,
  draws: usize,
): void {
  const a = i32x4.splat(MULTIPLIER_A)
  const b = i32x4.splat(MULTIPLIER_B)
  for (let place: u32 = 0; place < count; place += LANES) {
    let c0 = i32x4.splat(block)
    let c1 = i32x4.splat(purpose)
    let c2 = v128.load(shots + (place << 2))
    let c3 = i32x4.splat(stream)
    let roundA = keyA
    let roundB = keyB
    for (let round = 0; round < 10; round++) {
      const lowA = i64x2.extmul_low_i32x4_u(a, c0)
      const highA = i64x2.extmul_high_i32x4_u(a, c0)
      const lowB = i64x2.extmul_low_i32x4_u(b, c2)
      const highB = i64x2.extmul_high_i32x4_u(b, c2)
      c0 = v128.xor(v128.xor(v128.shuffle<u32>(lowB, highB, 1, 3, 5, 7), c1), i32x4.splat(roundA))
      c1 = v128.shuffle<u32>(lowB, highB, 0, 2, 4, 6)
      c2 = v128.xor(v128.xor(v128.shuffle<u32>(lowA, highA, 1, 3, 5, 7), c3), i32x4.splat(roundB))
      c3 = v128.shuffle<u32>(lowA, highA, 0, 2, 4, 6)
      roundA += WEYL_A
      roundB += WEYL_B
    }
    const at = draws + (place << 3)
    v128.store(at, uniform(c2, c3))
    v128.store(at, uniform(v128.shuffle<u64>(c2, c2, 1, 1), v128.shuffle<u64>(c3, c3, 1, 1)), 16)
  }
}
