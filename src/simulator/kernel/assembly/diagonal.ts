import { AMPLITUDE, product } from './block.ts'

/**
 * Many diagonal gates in one pass. Each is a phase on one qubit or on a pair of qubits. The local qubits are
 * the LOW lowest (the low ones) and the high ones; all amplitudes with the same high qubits are a row. A row
 * has a table of the factors of its amplitudes, which starts with one factor and doubles with each low qubit:
 * besides the multiplication that applies it, this takes half a multiplication per amplitude, however many
 * gates there are.
 *
 * The list at `terms` has entries of 32 bytes: `[unused u32, a u32, b u32, unused, re f64, im f64]`. `a` and
 * `b` give the places of the qubits:
 *
 * | Kind | a | b | Factor goes to |
 * |---|---|---|---|
 * | OUTER | mask of qubits outside the block | unused | every amplitude, if all of these are 1 |
 * | LOCAL | mask of qubits outside the block | index of a local qubit | where it is 1, if all outside are 1 |
 * | HIGH | mask of high local qubits | unused | where all of these are 1 |
 * | CROSS | a high local qubit as mask | index of a low qubit | where both are 1 |
 * | LOW | mask of two low local qubits | unused | where both are 1 |
 *
 * The entries come in this order; `ends` has the end of each kind.
 */
const LOW: u32 = 7
const ENTRY: usize = 32
/** Rows of the largest block. */
const ROWS: u32 = 256

/**
 * Offsets of the tables in a thread's workspace. First: the factor of each local qubit, including LOCAL
 * entries.
 */
const FACTORS: usize = 0
/** By low qubit, from 2^q on: its factor for each value of the lower qubits. */
const BELOW: usize = 512
/** The factors of one row. */
const TABLE: usize = BELOW + (16 << LOW)
/** By row: the factor of its first amplitude. */
const STARTS: usize = TABLE + (16 << LOW)
/** By low qubit and row: the factor of the qubit. */
const STEPS: usize = STARTS + 16 * ROWS

function one(): v128 {
  return f64x2.replace_lane(f64x2.splat(0), 0, 1)
}

/** Multiplies the first `count` numbers of a list by a factor, where the index has `bits`. */
function multiplyWhere(list: usize, bits: u32, count: u32, factor: v128): void {
  for (let index = bits; index < count; index = (index + 1) | bits) {
    const at = list + (index << AMPLITUDE)
    v128.store(at, product(v128.load(at), factor))
  }
}

/** Copies `count` numbers from `from` to `to`, times a factor. */
function copyTimes(from: usize, to: usize, count: u32, factor: v128): void {
  const re = v128.shuffle<f64>(factor, factor, 0, 0)
  const im = v128.xor(v128.shuffle<f64>(factor, factor, 1, 1), f64x2(-0.0, 0.0))
  for (const end = from + (count << AMPLITUDE); from < end; from += 16, to += 16) {
    const x = v128.load(from)
    v128.store(to, f64x2.add(f64x2.mul(x, re), f64x2.mul(v128.shuffle<f64>(x, x, 1, 0), im)))
  }
}

/** Writes the product of `count` numbers at `x` and at `y` to `to`. */
function multiplyEach(x: usize, y: usize, to: usize, count: u32): void {
  for (const end = to + (count << AMPLITUDE); to < end; to += 16, x += 16, y += 16) {
    const a = v128.load(x)
    const re = v128.load_splat<f64>(y)
    const im = v128.xor(v128.load_splat<f64>(y, 8), f64x2(-0.0, 0.0))
    v128.store(to, f64x2.add(f64x2.mul(a, re), f64x2.mul(v128.shuffle<f64>(a, a, 1, 0), im)))
  }
}

function holds(entry: usize, bits: u32): bool {
  const mask = load<u32>(entry, 4)
  return (bits & mask) === mask
}

/** Fills FACTORS by the terms that apply to this block; returns the factor of all amplitudes. */
function prepareFactors(terms: usize, ends: usize, base: u32, qubits: u32, workspace: usize): v128 {
  for (let q: u32 = 0; q < qubits; q++) v128.store(workspace + FACTORS + (q << AMPLITUDE), one())
  let common = one()
  let entry = terms
  for (const end = load<u32>(ends); entry < end; entry += ENTRY) {
    if (holds(entry, base)) common = product(common, v128.load(entry, 16))
  }
  for (const end = load<u32>(ends, 4); entry < end; entry += ENTRY) {
    if (!holds(entry, base)) continue
    const factor = workspace + FACTORS + (load<u32>(entry, 8) << AMPLITUDE)
    v128.store(factor, product(v128.load(factor), v128.load(entry, 16)))
  }
  return common
}

/** Fills STARTS for all rows. */
function prepareStarts(ends: usize, common: v128, qubits: u32, low: u32, workspace: usize): void {
  const rows: u32 = 1 << (qubits - low)
  const starts = workspace + STARTS
  v128.store(starts, common)
  for (let q = low; q < qubits; q++) {
    const count: u32 = 1 << (q - low)
    copyTimes(starts, starts + (count << AMPLITUDE), count, v128.load(workspace + FACTORS + (q << AMPLITUDE)))
  }
  let entry: usize = load<u32>(ends, 4)
  for (const end = load<u32>(ends, 8); entry < end; entry += ENTRY) {
    multiplyWhere(starts, load<u32>(entry, 4) >> low, rows, v128.load(entry, 16))
  }
}

/**
 * Fills STEPS for all rows, except for qubits in BELOW. Returns the low qubits that pair with high ones, as a
 * mask.
 */
function prepareSteps(ends: usize, below: u32, qubits: u32, low: u32, workspace: usize): u32 {
  const rows: u32 = 1 << (qubits - low)
  for (let q: u32 = 0; q < low; q++) {
    const factor = (below >> q) & 1 ? one() : v128.load(workspace + FACTORS + (q << AMPLITUDE))
    const steps = workspace + STEPS + ((q * ROWS) << AMPLITUDE)
    for (let row: u32 = 0; row < rows; row++) v128.store(steps + (row << AMPLITUDE), factor)
  }
  let crossed: u32 = 0
  let entry: usize = load<u32>(ends, 8)
  for (const end = load<u32>(ends, 12); entry < end; entry += ENTRY) {
    const q = load<u32>(entry, 8)
    crossed |= 1 << q
    multiplyWhere(
      workspace + STEPS + ((q * ROWS) << AMPLITUDE),
      load<u32>(entry, 4) >> low,
      rows,
      v128.load(entry, 16),
    )
  }
  return crossed
}

/** Fills BELOW for the low qubits that pair with lower ones; returns these qubits as a mask. */
function prepareBelow(ends: usize, workspace: usize): u32 {
  let below: u32 = 0
  let entry: usize = load<u32>(ends, 12)
  for (const end = load<u32>(ends, 16); entry < end; entry += ENTRY) {
    const mask = load<u32>(entry, 4)
    const upper = 31 - clz(mask)
    const count: u32 = 1 << upper
    const list = workspace + BELOW + (count << AMPLITUDE)
    if (!((below >> upper) & 1)) {
      const factor = v128.load(workspace + FACTORS + (upper << AMPLITUDE))
      for (let index: u32 = 0; index < count; index++) v128.store(list + (index << AMPLITUDE), factor)
      below |= count
    }
    multiplyWhere(list, mask & ~count, count, v128.load(entry, 16))
  }
  return below
}

/** Fills TABLE for a row. */
function fill(row: u32, low: u32, below: u32, crossed: u32, workspace: usize): void {
  const table = workspace + TABLE
  v128.store(table, v128.load(workspace + STARTS + (row << AMPLITUDE)))
  for (let q: u32 = 0; q < low; q++) {
    const count: u32 = 1 << q
    const upper = table + (count << AMPLITUDE)
    const step = v128.load(workspace + STEPS + ((q * ROWS + row) << AMPLITUDE))
    if (!((below >> q) & 1)) {
      copyTimes(table, upper, count, step)
      continue
    }
    multiplyEach(table, workspace + BELOW + (count << AMPLITUDE), upper, count)
    if ((crossed >> q) & 1) copyTimes(upper, upper, count, step)
  }
}

/**
 * Applies all phases to a block of 2^`qubits` amplitudes whose other qubits have the bits `base`. Skips rows
 * without the bits `pivot`.
 */
export function applyDiagonal(
  state: usize,
  qubits: u32,
  base: u32,
  terms: usize,
  ends: usize,
  pivot: u32,
  workspace: usize,
): void {
  const low = min(qubits, LOW)
  const common = prepareFactors(terms, ends, base, qubits, workspace)
  prepareStarts(ends, common, qubits, low, workspace)
  const below = prepareBelow(ends, workspace)
  const crossed = prepareSteps(ends, below, qubits, low, workspace)
  const length: u32 = 1 << low
  const rows: u32 = 1 << (qubits - low)
  for (let row = pivot >> low; row < rows; row = (row + 1) | (pivot >> low)) {
    fill(row, low, below, crossed, workspace)
    const amplitudes = state + ((row * length) << AMPLITUDE)
    multiplyEach(amplitudes, workspace + TABLE, amplitudes, length)
  }
}
