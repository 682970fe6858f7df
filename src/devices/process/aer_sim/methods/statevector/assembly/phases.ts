import { AMPLITUDE, product } from './block.ts'

/**
 * Many diagonal gates in one pass. Each is a phase on one qubit or on the pairs of two; a table of 2^LOW factors, for
 * the lowest local qubits, is built for every value of the higher ones and multiplied onto the amplitudes.
 *
 * The list at `terms` has entries of 32 bytes: `[kind u32, a u32, b u32, unused, re f64, im f64]`. `a` and `b` say
 * where the two qubits are:
 *
 * | Kind | a | b | Factor goes to |
 * |---|---|---|---|
 * | OUTER | mask of qubits outside the block | unused | every amplitude, if all of them are 1 |
 * | LOCAL | mask of qubits outside the block | number of a local qubit | where that is 1, if all outside are 1 |
 * | HIGH | mask of high local qubits | unused | where all of them are 1 |
 * | CROSS | a high local qubit as mask | number of a low one | where both are 1 |
 * | LOW | mask of low local qubits | unused | where all of them are 1 |
 *
 * They come in this order; `ends` has the end of each kind's entries.
 */
export const LOW: u32 = 7
const ENTRY: usize = 32

/** Where the tables of a thread lie in its room. */
const FACTORS: usize = 0
const STATIC: usize = 1024
const TABLE: usize = 1024 + (16 << LOW)

function conditionHolds(entry: usize, bits: u32): bool {
  const mask = load<u32>(entry, 4)
  return (bits & mask) === mask
}

/** Prepares the tables for one block: factors by local qubit, and those of pairs of low qubits. Returns the common one. */
function prepare(terms: usize, ends: usize, base: u32, qubits: u32, low: u32, room: usize): v128 {
  const one = f64x2.replace_lane(f64x2.splat(0), 0, 1)
  for (let q: u32 = 0; q < qubits; q++) v128.store(room + FACTORS + (q << AMPLITUDE), one)
  let common = one
  let entry = terms
  for (const end = load<u32>(ends); entry < end; entry += ENTRY) {
    if (conditionHolds(entry, base)) common = product(common, v128.load(entry, 16))
  }
  for (const end = load<u32>(ends, 4); entry < end; entry += ENTRY) {
    if (!conditionHolds(entry, base)) continue
    const factor = room + FACTORS + (load<u32>(entry, 8) << AMPLITUDE)
    v128.store(factor, product(v128.load(factor), v128.load(entry, 16)))
  }
  entry = load<u32>(ends, 12)
  const lowEnd = load<u32>(ends, 16)
  const count: u32 = 1 << low
  if (entry === lowEnd) return common
  for (let l: u32 = 0; l < count; l++) v128.store(room + STATIC + (l << AMPLITUDE), one)
  for (; entry < lowEnd; entry += ENTRY) {
    for (let l: u32 = 0; l < count; l++) {
      if (!conditionHolds(entry, l)) continue
      const at = room + STATIC + (l << AMPLITUDE)
      v128.store(at, product(v128.load(at), v128.load(entry, 16)))
    }
  }
  return common
}

/** Fills the table of the low qubits for one value of the high ones. */
function fill(_terms: usize, ends: usize, high: u32, common: v128, qubits: u32, low: u32, room: usize): void {
  let start = common
  for (let q = low; q < qubits; q++) {
    if ((high >> q) & 1) start = product(start, v128.load(room + FACTORS + (q << AMPLITUDE)))
  }
  let entry: usize = load<u32>(ends, 4)
  for (const end = load<u32>(ends, 8); entry < end; entry += ENTRY) {
    if (conditionHolds(entry, high)) start = product(start, v128.load(entry, 16))
  }
  const table = room + TABLE
  v128.store(table, start)
  const end = load<u32>(ends, 12)
  for (let q: u32 = 0; q < low; q++) {
    let factor = v128.load(room + FACTORS + (q << AMPLITUDE))
    // The entries of CROSS are sorted by their low qubit.
    while (entry < end && load<u32>(entry, 8) === q) {
      if (conditionHolds(entry, high)) factor = product(factor, v128.load(entry, 16))
      entry += ENTRY
    }
    const re = v128.shuffle<f64>(factor, factor, 0, 0)
    const im = v128.xor(v128.shuffle<f64>(factor, factor, 1, 1), f64x2(-0.0, 0.0))
    const half: usize = 16 << q
    for (let at = table; at < table + half; at += 16) {
      const x = v128.load(at)
      const turned = f64x2.mul(v128.shuffle<f64>(x, x, 1, 0), im)
      v128.store(at + half, f64x2.add(f64x2.mul(x, re), turned))
    }
  }
}

/** Applies all phases to a block of 2^`qubits` amplitudes whose index outside has the bits `base`. */
export function applyPhases(
  state: usize,
  qubits: u32,
  base: u32,
  terms: usize,
  ends: usize,
  pivot: u32,
  room: usize,
): void {
  const low = min(qubits, LOW)
  const common = prepare(terms, ends, base, qubits, low, room)
  const hasStatic = load<u32>(ends, 12) !== load<u32>(ends, 16)
  const table = room + TABLE
  const bytes: usize = 16 << low
  const size: u32 = 1 << qubits
  for (let high: u32 = 0; high < size; high += 1 << low) {
    if ((high & pivot) !== pivot) continue
    fill(terms, ends, high, common, qubits, low, room)
    if (hasStatic) {
      for (let at: usize = 0; at < bytes; at += 16) {
        v128.store(table + at, product(v128.load(table + at), v128.load(room + STATIC + at)))
      }
    }
    let amplitude = state + (high << AMPLITUDE)
    for (let at: usize = table; at < table + bytes; at += 16) {
      v128.store(amplitude, product(v128.load(amplitude), v128.load(at)))
      amplitude += 16
    }
  }
}
