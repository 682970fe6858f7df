/**
 * Philox4x32 with 10 rounds, as `numeric/random.ts` has it, where the source is named: here for many shots at once.
 * Both give the same numbers.
 */
const MULTIPLIER_A: u64 = 0xd2511f53
const MULTIPLIER_B: u64 = 0xcd9e8d57
const WEYL_A: u32 = 0x9e3779b9
const WEYL_B: u32 = 0xbb67ae85

/** The first uniform number in [0, 1), with 53 random bits, of block `block` of a shot's sub-stream. */
function uniform(keyA: u32, keyB: u32, stream: u32, shot: u32, purpose: u32, block: u32): f64 {
  let c0 = block
  let c1 = purpose
  let c2 = shot
  let c3 = stream
  for (let round = 0; round < 10; round++) {
    const a = MULTIPLIER_A * c0
    const b = MULTIPLIER_B * c2
    c0 = <u32>(b >> 32) ^ c1 ^ keyA
    c1 = <u32>b
    c2 = <u32>(a >> 32) ^ c3 ^ keyB
    c3 = <u32>a
    keyA += WEYL_A
    keyB += WEYL_B
  }
  return (<f64>(c2 >> 5) * 67108864 + <f64>(c3 >> 6)) / 9007199254740992
}

/** Writes a uniform number for each of `count` shots, whose numbers are at `shots`, to `draws`. */
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
  for (let place: u32 = 0; place < count; place++) {
    const shot = load<u32>(shots + (place << 2))
    store<f64>(draws + (place << 3), uniform(keyA, keyB, stream, shot, purpose, block))
  }
}
