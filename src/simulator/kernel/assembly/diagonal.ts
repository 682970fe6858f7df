import {
  conjugateNegated,
  everywhere,
  fromTable,
  imaginaryOf,
  plus,
  product,
  readOne,
  realOf,
  shift,
  swapped,
  times,
  writeOne,
} from './complex.ts'

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
/** Rows of the largest block, whose size in bytes does not depend on the type. */
function mostRows<T>(): u32 {
  return 4096 >> shift<T>()
}

/**
 * Offsets of the tables in a thread's workspace. First: the factor of each local qubit, including LOCAL
 * entries.
 */
const FACTORS: usize = 0
/** By low qubit, from 2^q on: its factor for each value of the lower qubits. */
const BELOW: usize = 512
/** The factors of one row. */
const TABLE: usize = BELOW + (16 << LOW)
/** By row: the factor of its first amplitude. 4 KiB for the rows of the largest block, whatever its type. */
const STARTS: usize = TABLE + (16 << LOW)
/** By low qubit and row: the factor of the qubit. */
const STEPS: usize = STARTS + 4096

function one<T>(): v128 {
  return sizeof<T>() === 8 ? f64x2(1, 0) : f32x4(1, 0, 0, 0)
}

/** Multiplies the first `count` numbers of a list by a factor, where the index has `bits`. */
function multiplyWhere<T>(list: usize, bits: u32, count: u32, factor: v128): void {
  for (let index = bits; index < count; index = (index + 1) | bits) {
    const at = list + (index << shift<T>())
    writeOne<T>(at, product<T>(readOne<T>(at), factor))
  }
}

/**
 * Copies `count` numbers from `from` to `to`, times a factor. The place after the last of `to` may change: an
 * odd number of `f32` numbers is one and a half vectors.
 */
function copyTimes<T>(from: usize, to: usize, count: u32, factor: v128): void {
  const re = realOf<T>(everywhere<T>(factor))
  const im = imaginaryOf<T>(everywhere<T>(factor))
  for (const end = from + (count << shift<T>()); from < end; from += 16, to += 16) {
    const x = v128.load(from)
    v128.store(to, plus<T>(times<T>(x, re), times<T>(swapped<T>(x), im)))
  }
}

/** Writes the product of `count` numbers at `x` and at `y` to `to`; the place after the last may change. */
function multiplyEach<T>(x: usize, y: usize, to: usize, count: u32): void {
  for (const end = to + (count << shift<T>()); to < end; to += 16, x += 16, y += 16) {
    const a = v128.load(x)
    // Loads take less time than exchanges of places, which numbers of type `f32` need.
    const re = sizeof<T>() === 8 ? v128.load64_splat(y) : realOf<T>(v128.load(y))
    const im = sizeof<T>() === 8 ? conjugateNegated<T>(v128.load64_splat(y, 8)) : imaginaryOf<T>(v128.load(y))
    v128.store(to, plus<T>(times<T>(a, re), times<T>(swapped<T>(a), im)))
  }
}

function holds(entry: usize, bits: u32): bool {
  const mask = load<u32>(entry, 4)
  return (bits & mask) === mask
}

/** Fills FACTORS by the terms that apply to this block; returns the factor of all amplitudes. */
function prepareFactors<T>(terms: usize, ends: usize, base: u32, qubits: u32, workspace: usize): v128 {
  for (let q: u32 = 0; q < qubits; q++) writeOne<T>(workspace + FACTORS + (q << shift<T>()), one<T>())
  let common = one<T>()
  let entry = terms
  for (const end = load<u32>(ends); entry < end; entry += ENTRY) {
    if (holds(entry, base)) common = product<T>(common, fromTable<T>(entry + 16))
  }
  for (const end = load<u32>(ends, 4); entry < end; entry += ENTRY) {
    if (!holds(entry, base)) continue
    const factor = workspace + FACTORS + (load<u32>(entry, 8) << shift<T>())
    writeOne<T>(factor, product<T>(readOne<T>(factor), fromTable<T>(entry + 16)))
  }
  return common
}

/** Fills STARTS for all rows. */
function prepareStarts<T>(ends: usize, common: v128, qubits: u32, low: u32, workspace: usize): void {
  const rows: u32 = 1 << (qubits - low)
  const starts = workspace + STARTS
  writeOne<T>(starts, common)
  for (let q = low; q < qubits; q++) {
    const count: u32 = 1 << (q - low)
    copyTimes<T>(
      starts,
      starts + (count << shift<T>()),
      count,
      readOne<T>(workspace + FACTORS + (q << shift<T>())),
    )
  }
  let entry: usize = load<u32>(ends, 4)
  for (const end = load<u32>(ends, 8); entry < end; entry += ENTRY) {
    multiplyWhere<T>(starts, load<u32>(entry, 4) >> low, rows, fromTable<T>(entry + 16))
  }
}

/**
 * Fills STEPS for all rows, except for qubits in BELOW. Returns the low qubits that pair with high ones, as a
 * mask.
 */
function prepareSteps<T>(ends: usize, below: u32, qubits: u32, low: u32, workspace: usize): u32 {
  const rows: u32 = 1 << (qubits - low)
  for (let q: u32 = 0; q < low; q++) {
    const factor = (below >> q) & 1 ? one<T>() : readOne<T>(workspace + FACTORS + (q << shift<T>()))
    const steps = workspace + STEPS + ((q * mostRows<T>()) << shift<T>())
    for (let row: u32 = 0; row < rows; row++) writeOne<T>(steps + (row << shift<T>()), factor)
  }
  let crossed: u32 = 0
  let entry: usize = load<u32>(ends, 8)
  for (const end = load<u32>(ends, 12); entry < end; entry += ENTRY) {
    const q = load<u32>(entry, 8)
    crossed |= 1 << q
    multiplyWhere<T>(
      workspace + STEPS + ((q * mostRows<T>()) << shift<T>()),
      load<u32>(entry, 4) >> low,
      rows,
      fromTable<T>(entry + 16),
    )
  }
  return crossed
}

/** Fills BELOW for the low qubits that pair with lower ones; returns these qubits as a mask. */
function prepareBelow<T>(ends: usize, workspace: usize): u32 {
  let below: u32 = 0
  let entry: usize = load<u32>(ends, 12)
  for (const end = load<u32>(ends, 16); entry < end; entry += ENTRY) {
    const mask = load<u32>(entry, 4)
    const upper = 31 - clz(mask)
    const count: u32 = 1 << upper
    const list = workspace + BELOW + (count << shift<T>())
    if (!((below >> upper) & 1)) {
      const factor = readOne<T>(workspace + FACTORS + (upper << shift<T>()))
      for (let index: u32 = 0; index < count; index++) writeOne<T>(list + (index << shift<T>()), factor)
      below |= count
    }
    multiplyWhere<T>(list, mask & ~count, count, fromTable<T>(entry + 16))
  }
  return below
}

/** Fills TABLE for a row. */
function fill<T>(row: u32, low: u32, below: u32, crossed: u32, workspace: usize): void {
  const table = workspace + TABLE
  writeOne<T>(table, readOne<T>(workspace + STARTS + (row << shift<T>())))
  for (let q: u32 = 0; q < low; q++) {
    const count: u32 = 1 << q
    const upper = table + (count << shift<T>())
    const step = readOne<T>(workspace + STEPS + ((q * mostRows<T>() + row) << shift<T>()))
    if (!((below >> q) & 1)) {
      copyTimes<T>(table, upper, count, step)
      continue
    }
    multiplyEach<T>(table, workspace + BELOW + (count << shift<T>()), upper, count)
    if ((crossed >> q) & 1) copyTimes<T>(upper, upper, count, step)
  }
}

/**
 * Applies all phases to a block of 2^`qubits` amplitudes whose other qubits have the bits `base`. Skips rows
 * without the bits `pivot`.
 */
export function applyDiagonal<T>(
  state: usize,
  qubits: u32,
  base: u32,
  terms: usize,
  ends: usize,
  pivot: u32,
  workspace: usize,
): void {
  const low = min(qubits, LOW)
  const common = prepareFactors<T>(terms, ends, base, qubits, workspace)
  prepareStarts<T>(ends, common, qubits, low, workspace)
  const below = prepareBelow<T>(ends, workspace)
  const crossed = prepareSteps<T>(ends, below, qubits, low, workspace)
  const length: u32 = 1 << low
  const rows: u32 = 1 << (qubits - low)
  for (let row = pivot >> low; row < rows; row = (row + 1) | (pivot >> low)) {
    fill<T>(row, low, below, crossed, workspace)
    const amplitudes = state + ((row * length) << shift<T>())
    multiplyEach<T>(amplitudes, workspace + TABLE, amplitudes, length)
  }
}
