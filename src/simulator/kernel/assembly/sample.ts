import { read, shift, times, widened, write } from './complex.ts'

/** The squares of the parts of one amplitude. */
function squares<T>(at: usize): v128 {
  const x = widened<T>(at)
  return f64x2.mul(x, x)
}

/** Sum of the squared magnitudes of the amplitudes from `at` to `end`. */
function sumOf<T>(at: usize, end: usize): f64 {
  const bytes: usize = 1 << shift<T>()
  let a = f64x2.splat(0)
  let b = f64x2.splat(0)
  for (; at + bytes < end; at += 2 * bytes) {
    a = f64x2.add(a, squares<T>(at))
    b = f64x2.add(b, squares<T>(at + bytes))
  }
  if (at < end) a = f64x2.add(a, squares<T>(at))
  const sum = f64x2.add(a, b)
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)
}

/** Writes the cumulative probabilities of `groups` groups of 2^`bits` amplitudes to `sums`. */
function addUpIn<T>(state: usize, bits: u32, groups: u32, sums: usize): void {
  const bytes = (<usize>1) << (bits + shift<T>())
  let total: f64 = 0
  for (let group: u32 = 0; group < groups; group++) {
    const at = state + group * bytes
    total += sumOf<T>(at, at + bytes)
    store<f64>(sums + (group << 3), total)
  }
}

/**
 * The first group from `group` on whose cumulative sum is above `target`. If rounding leaves `target` at or
 * above the last sum, the first group that reaches the last sum, so that an outcome of probability zero is
 * never drawn.
 */
function firstAbove(sums: usize, group: u32, target: f64, last: f64): u32 {
  let sum = load<f64>(sums + (group << 3))
  while (sum <= target && sum < last) {
    group++
    sum = load<f64>(sums + (group << 3))
  }
  return group
}

/**
 * Writes to `guide`, for each of `entries` equal parts of the unit interval, the group of its lowest number.
 * The search for a draw starts there (Chen and Asau, "On generating random variates from an empirical
 * distribution", AIIE Transactions 6, 163, 1974): it takes one or two steps, while a binary search has
 * mispredicted branches.
 */
export function buildGuide(sums: usize, groups: u32, guide: usize, entries: u32): void {
  const total = load<f64>(sums + ((groups - 1) << 3))
  const part = 1.0 / <f64>entries
  let group: u32 = 0
  for (let entry: u32 = 0; entry < entries; entry++) {
    group = firstAbove(sums, group, <f64>entry * part * total, total)
    store<u32>(guide + (entry << 2), group)
  }
}

/**
 * Replaces each of `count` uniform numbers in [0, 1) at `draws` by a basis index, as u32 at `indices`. `sums`
 * are the cumulative probabilities of groups of 2^`bits` amplitudes, `guide` has `entries` entries, a power
 * of two. Each index depends on its own number only.
 */
function drawIndicesIn<T>(
  state: usize,
  bits: u32,
  sums: usize,
  groups: u32,
  guide: usize,
  entries: u32,
  draws: usize,
  count: u32,
  indices: usize,
): void {
  const total = load<f64>(sums + ((groups - 1) << 3))
  const length: u32 = 1 << bits
  for (let shot: u32 = 0; shot < count; shot++) {
    const draw = load<f64>(draws + (shot << 3))
    const target = draw * total
    const start = load<u32>(guide + ((<u32>(draw * <f64>entries)) << 2))
    const group = firstAbove(sums, start, target, total)
    let sum: f64 = group === 0 ? 0 : load<f64>(sums + ((group - 1) << 3))
    let found: u32 = 0
    const first = group << bits
    for (let offset: u32 = 0; offset < length; offset++) {
      const square = squares<T>(state + ((first + offset) << shift<T>()))
      const probability = f64x2.extract_lane(square, 0) + f64x2.extract_lane(square, 1)
      if (probability > 0) found = offset
      sum += probability
      if (sum > target) break
    }
    store<u32>(indices + (shot << 2), first + found)
  }
}

/** Sum of the squared magnitudes of the amplitudes with the bits `value` in `mask`. */
function weightIn<T>(state: usize, size: u32, mask: u32, value: u32): f64 {
  const run: u32 = mask === 0 ? size : 1 << ctz(mask)
  const skip = mask | (run - 1)
  let sum: f64 = 0
  let free: u32 = 0
  do {
    const at = state + ((<usize>(free | value)) << shift<T>())
    sum += sumOf<T>(at, at + ((<usize>run) << shift<T>()))
    free = ((free | skip) + 1) & ~skip
  } while (free < size)
  return sum
}

/** Multiplies the amplitudes with the bits `value` in `mask` by `factor` and clears all others. */
function projectIn<T, W>(state: usize, size: u32, mask: u32, value: u32, factor: f64): void {
  const run: u32 = mask === 0 ? size : 1 << ctz(mask)
  const kept = v128.splat<T>(<T>factor)
  for (let index: u32 = 0; index < size; index += run) {
    const at = state + ((<usize>index) << shift<T>())
    const end = at + ((<usize>run) << shift<T>())
    if ((index & mask) !== value) {
      memory.fill(at, 0, end - at)
      continue
    }
    for (let each = at; each < end; each += sizeof<W>()) write<W>(each, times<T>(read<W>(each), kept))
  }
}

/** The functions of the host, which says whether amplitudes are of type `f32`. */

export function addUp(isSingle: bool, state: usize, bits: u32, groups: u32, sums: usize): void {
  if (isSingle) addUpIn<f32>(state, bits, groups, sums)
  else addUpIn<f64>(state, bits, groups, sums)
}

export function drawIndices(
  isSingle: bool,
  state: usize,
  bits: u32,
  sums: usize,
  groups: u32,
  guide: usize,
  entries: u32,
  draws: usize,
  count: u32,
  indices: usize,
): void {
  if (isSingle) drawIndicesIn<f32>(state, bits, sums, groups, guide, entries, draws, count, indices)
  else drawIndicesIn<f64>(state, bits, sums, groups, guide, entries, draws, count, indices)
}

export function weight(isSingle: bool, state: usize, size: u32, mask: u32, value: u32): f64 {
  return isSingle ? weightIn<f32>(state, size, mask, value) : weightIn<f64>(state, size, mask, value)
}

export function project(isSingle: bool, state: usize, size: u32, mask: u32, value: u32, factor: f64): void {
  if (!isSingle) projectIn<f64, v128>(state, size, mask, value, factor)
  else if ((mask & 1) !== 0 || size === 1) projectIn<f32, u64>(state, size, mask, value, factor)
  else projectIn<f32, v128>(state, size, mask, value, factor)
}
