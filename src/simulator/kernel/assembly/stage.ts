/**
 * One stage of a circuit: a list of gates that are applied to every block of a state. A block covers all
 * values of the qubits in the stage's set and one value of the others. Threads take blocks by a shared
 * counter until none is left, so that a slow thread does not delay the others. `stage-writer.ts` in the
 * folder above writes the format read here.
 */
import {
  applyMany,
  applyOne,
  applyReal,
  applyRealPair,
  applyRotationPair,
  exchange,
  negate,
  scale,
} from './block.ts'
import { shift } from './complex.ts'
import { applyFour, applySparse } from './dense.ts'
import { applyDiagonal } from './diagonal.ts'

/** Words at the start of the memory, shared by all threads. */
const ABORT: usize = 0
const NEXT_BLOCK: usize = 4

/** Kinds of gates, numbered as in `stage-writer.ts`; any other number is a pair of rotations. */
const SCALE: u32 = 0
const NEGATE: u32 = 1
const EXCHANGE: u32 = 2
const REAL: u32 = 3
const ONE: u32 = 4
const MANY: u32 = 5
const PAIR: u32 = 6
const DIAGONAL: u32 = 8
const FOUR: u32 = 9
const SPARSE: u32 = 10

/** Spreads the bits of `value` over the bits of `mask`, lowest first. */
function spread(value: u32, mask: u32): u32 {
  let out: u32 = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) {
    if (value & 1) out |= rest & (0 - rest)
    value >>= 1
  }
  return out
}

/** Applies the gate at `gate` to a block of `size` amplitudes; `stage-writer.ts` writes its entry. */
function applyGate<T, W>(gate: usize, state: usize, size: u32, workspace: usize): void {
  const target = load<u32>(gate, 16)
  const fixed = load<u32>(gate, 20)
  const value = load<u32>(gate, 24)
  const last = load<u32>(gate, 28)
  const numbers = gate + 32
  switch (load<u32>(gate)) {
    case SCALE:
      scale<T, W>(state, size, fixed, value, numbers)
      break
    case NEGATE:
      negate<T, W>(state, size, fixed, value)
      break
    case EXCHANGE:
      exchange<T, W>(state, size, fixed, value, last)
      break
    case REAL:
      applyReal<T, W>(state, size, target, fixed, value, numbers)
      break
    case ONE:
      applyOne<T, W>(state, size, target, fixed, value, numbers)
      break
    case MANY:
      // The offsets of the amplitudes come first, padded to whole vectors.
      applyMany<T, W>(state, size, fixed, value, last, numbers, numbers + max<u32>(last << 2, 16), workspace)
      break
    case FOUR:
      applyFour<T, W>(state, size, fixed, value, numbers, numbers + 16, workspace)
      break
    case SPARSE:
      applySparse<T, W>(
        state,
        size,
        fixed,
        value,
        last,
        numbers,
        numbers + max<u32>(last << 2, 16),
        workspace,
      )
      break
    case PAIR:
      applyRealPair<T, W>(state, size, target, last, numbers)
      break
    default:
      applyRotationPair<T, W>(state, size, target, last, numbers)
  }
}

/** Applies the gates from `gate` to `end` to a block. */
function applyGates<T>(
  gate: usize,
  end: usize,
  state: usize,
  qubits: u32,
  base: u32,
  workspace: usize,
): void {
  const size: u32 = 1 << qubits
  for (; gate < end; gate += load<u32>(gate, 4)) {
    // Controls outside of the block are constant within the block.
    if ((base & load<u32>(gate, 8)) !== load<u32>(gate, 12)) continue
    if (load<u32>(gate) === DIAGONAL) {
      const ends = gate + 32
      applyDiagonal<T>(state, qubits, base, ends + 32, ends, load<u32>(gate, 20), workspace)
      continue
    }
    // A vector has two amplitudes of type `f32`, which differ in the lowest qubit.
    const isApart = ((load<u32>(gate, 16) | load<u32>(gate, 20)) & 1) !== 0 || size === 1
    if (sizeof<T>() === 4 && isApart) applyGate<T, u64>(gate, state, size, workspace)
    else applyGate<T, v128>(gate, state, size, workspace)
  }
}

function copy(to: usize, from: usize, bytes: usize): void {
  for (const end = from + bytes; from < end; from += 64, to += 64) {
    const a = v128.load(from)
    const b = v128.load(from, 16)
    const c = v128.load(from, 32)
    const d = v128.load(from, 48)
    v128.store(to, a)
    v128.store(to, b, 16)
    v128.store(to, c, 32)
    v128.store(to, d, 48)
  }
}

/** Copies the separate runs of a block into contiguous memory, or back. */
function copyRuns(stage: usize, first: usize, scratch: usize, isBack: bool): void {
  const runs = load<u32>(stage, 24)
  const bytes: usize = load<u32>(stage, 28)
  const offsets = stage + 48
  for (let run: u32 = 0; run < runs; run++) {
    const apart = first + load<u32>(offsets + (run << 2))
    const inRow = scratch + run * bytes
    if (isBack) copy(apart, inRow, bytes)
    else copy(inRow, apart, bytes)
  }
}

/** Applies a stage to the block of the amplitudes whose other qubits have the bits `base`. */
function runBlock<T>(stage: usize, base: u32, scratch: usize, workspace: usize): void {
  const isZero = (base & load<u32>(stage, 16)) !== 0
  const isFirst = load<u32>(stage, 20) !== 0
  if (isZero && !isFirst) return
  const qubits = load<u32>(stage, 4)
  const first: usize = load<u32>(stage) + ((<usize>base) << shift<T>())
  const isInRow = load<u32>(stage, 24) === 1
  const block = isInRow ? first : scratch
  if (isFirst) {
    memory.fill(block, 0, (<usize>1) << (qubits + shift<T>()))
    if (base === 0) store<T>(block, 1)
  } else if (!isInRow) {
    copyRuns(stage, first, scratch, false)
  }
  if (!isZero) applyGates<T>(load<u32>(stage, 32), load<u32>(stage, 36), block, qubits, base, workspace)
  if (!isInRow) copyRuns(stage, first, scratch, true)
}

/**
 * Applies a stage to up to `limit` blocks that no thread has taken yet. `scratch` is memory for one block,
 * `workspace` for the tables of one thread. Returns the number of blocks taken: fewer than `limit` when none
 * is left.
 */
export function runStage(stage: usize, limit: u32, scratch: usize, workspace: usize): u32 {
  const blocks = load<u32>(stage, 8)
  const outside = load<u32>(stage, 12)
  const isSingle = load<u32>(stage, 40) !== 0
  let taken: u32 = 0
  while (taken < limit && atomic.load<u32>(ABORT) === 0) {
    const block = atomic.add<u32>(NEXT_BLOCK, 1)
    if (block >= blocks) break
    const base = spread(block, outside)
    if (isSingle) runBlock<f32>(stage, base, scratch, workspace)
    else runBlock<f64>(stage, base, scratch, workspace)
    taken++
  }
  return taken
}
