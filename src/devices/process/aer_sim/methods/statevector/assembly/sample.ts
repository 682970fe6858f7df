import { AMPLITUDE } from './block.ts'

/** Amplitudes whose probabilities are summed together, as a power of two. */
const GROUP: u32 = 6

/** Sum of the squared sizes of the amplitudes from `at` to `end`. */
function sumOf(at: usize, end: usize): f64 {
  let a = f64x2.splat(0)
  let b = f64x2.splat(0)
  for (; at + 16 < end; at += 32) {
    const x = v128.load(at)
    const y = v128.load(at, 16)
    a = f64x2.add(a, f64x2.mul(x, x))
    b = f64x2.add(b, f64x2.mul(y, y))
  }
  if (at < end) a = f64x2.add(a, f64x2.mul(v128.load(at), v128.load(at)))
  const sum = f64x2.add(a, b)
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)
}

/** Probabilities of the groups from number `from` to `to` into `sums`, not yet added up. */
export function sumGroups(state: usize, size: u32, sums: usize, from: u32, to: u32): void {
  const bytes: usize = min<usize>(16 << GROUP, (<usize>size) << AMPLITUDE)
  for (let group = from; group < to; group++) {
    const at = state + group * bytes
    store<f64>(sums + (group << 3), sumOf(at, at + bytes))
  }
}

/** Turns sums into running sums and returns the last. */
export function addUp(sums: usize, groups: u32): f64 {
  let total: f64 = 0
  for (let group: u32 = 0; group < groups; group++) {
    total += load<f64>(sums + (group << 3))
    store<f64>(sums + (group << 3), total)
  }
  return total
}

/**
 * The first of `count` running sums above `target`. Rounding can leave `target` at or above the last: then the first
 * that reaches the last, so that an outcome of probability zero is never drawn.
 */
function firstAbove(sums: usize, count: u32, target: f64): u32 {
  const last = load<f64>(sums + ((count - 1) << 3))
  const reaches = target >= last
  let low: u32 = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high) >> 1
    const sum = load<f64>(sums + (middle << 3))
    if (reaches ? sum >= last : sum > target) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Replaces each of `count` uniform numbers in [0, 1) at `draws` by a basis index, as u32 at `indices`. `sums` are the
 * running sums of the groups. The index follows from its own number alone.
 */
export function drawIndices(
  state: usize,
  size: u32,
  sums: usize,
  groups: u32,
  draws: usize,
  count: u32,
  indices: usize,
): void {
  const total = load<f64>(sums + ((groups - 1) << 3))
  const length = min<u32>(1 << GROUP, size)
  for (let shot: u32 = 0; shot < count; shot++) {
    const target = load<f64>(draws + (shot << 3)) * total
    const group = firstAbove(sums, groups, target)
    let sum: f64 = group === 0 ? 0 : load<f64>(sums + ((group - 1) << 3))
    let found: u32 = 0
    const first = group * length
    for (let offset: u32 = 0; offset < length; offset++) {
      const x = v128.load(state + ((first + offset) << AMPLITUDE))
      const square = f64x2.mul(x, x)
      const probability = f64x2.extract_lane(square, 0) + f64x2.extract_lane(square, 1)
      if (probability > 0) found = offset
      sum += probability
      if (sum > target) break
    }
    store<u32>(indices + (shot << 2), first + found)
  }
}

/** Sum of the squared sizes of the amplitudes with the bits `value` in `mask`. */
export function weight(state: usize, size: u32, mask: u32, value: u32): f64 {
  const run: u32 = mask === 0 ? size : 1 << ctz(mask)
  const skip = mask | (run - 1)
  let sum: f64 = 0
  let free: u32 = 0
  do {
    const at = state + ((<usize>(free | value)) << AMPLITUDE)
    sum += sumOf(at, at + ((<usize>run) << AMPLITUDE))
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
  return sum
}

/** Multiplies the amplitudes with the bits `value` in `mask` by `factor` and clears all others. */
export function project(state: usize, size: u32, mask: u32, value: u32, factor: f64): void {
  const run: u32 = mask === 0 ? size : 1 << ctz(mask)
  const kept = f64x2.splat(factor)
  for (let index: u32 = 0; index < size; index += run) {
    const at = state + ((<usize>index) << AMPLITUDE)
    const end = at + ((<usize>run) << AMPLITUDE)
    if ((index & mask) !== value) {
      memory.fill(at, 0, end - at)
      continue
    }
    for (let each = at; each < end; each += 16) v128.store(each, f64x2.mul(v128.load(each), kept))
  }
}
