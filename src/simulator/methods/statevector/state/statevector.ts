import type { Engine, KnownZeros } from '../../../kernel/engine.ts'
import type { KernelCall } from '../../../kernel/kernel-call.ts'
import {
  type AmplitudeArray,
  type AmplitudeFormat,
  FORMATS,
  LAYOUT,
  MAX_DRAWS_PER_CALL,
  type Precision,
} from '../../../kernel/layout.ts'
import type { Rng } from '../../../numeric/random.ts'
import { PURPOSE } from '../../../numeric/random.ts'
import { type TimeBudget, UNLIMITED, type WorkCounter } from '../../../timing/time-budget.ts'

/**
 * Probabilities are summed in groups of amplitudes: single amplitudes up to 2^11 of them, then groups of up
 * to 2^6 amplitudes, then more groups. A draw searches some groups, then one group.
 */
const MAX_GROUP_COUNT_BITS = 11
const MAX_GROUP_SIZE_BITS = 6
/** More than 2^21 groups do not fit into their place in the memory. */
const MAX_GROUPS_BITS = 21
/** Slices of up to this number of qubits are read without a check of the time: some milliseconds. */
const MAX_SLICE_QUBITS = 20
/** Work of a draw, in amplitude updates. */
const DRAW_WORK = 64

/** Maximum number of entries of the guide table, see `assembly/sample.ts`. */
const GUIDE_ENTRIES = 4_096

/**
 * A pure state; qubit 0 is the least significant bit of the basis index. It is stored in
 * the memory of its engine, which contains one state: a new one replaces it.
 */
export class Statevector {
  /** Counts the work of all operations. */
  readonly work: WorkCounter
  readonly #format: AmplitudeFormat
  #qubits: number
  readonly #engine: Engine
  readonly #knownZeros: KnownZeros

  /**
   * The state |0…0>.
   * @param work ends long operations at the deadline of a job.
   * @throws RangeError above 27 qubits, 28 in single precision.
   */
  constructor(
    engine: Engine,
    qubits: number,
    work: WorkCounter = UNLIMITED,
    precision: Precision = 'double',
  ) {
    this.#format = FORMATS[precision]
    const { maxQubits } = this.#format
    if (qubits > maxQubits)
      throw new RangeError(`a statevector of ${precision} precision has at most ${maxQubits} qubits`)
    engine.reserve(qubits, this.#format)
    this.#qubits = qubits
    this.#engine = engine
    this.work = work
    this.#knownZeros = { zeros: 2 ** qubits - 1, isUninitialized: true }
  }

  get qubits(): number {
    return this.#qubits
  }

  /** Bytes of the amplitudes. */
  get bytes(): number {
    return this.#format.bytes * 2 ** this.#qubits
  }

  /** Adds qubits in |0> above the others. */
  grow(qubits: number): void {
    const isNew = this.#knownZeros.isUninitialized
    const amplitudes = isNew ? undefined : this.copy()
    this.#engine.reserve(qubits, this.#format)
    this.#qubits = qubits
    if (amplitudes) this.load(amplitudes)
    else this.reset()
  }

  /** Resets the state to |0…0>. */
  reset(): void {
    this.#knownZeros.zeros = 2 ** this.qubits - 1
    this.#knownZeros.isUninitialized = true
  }

  /** `[2^qubits][re, im]`, flat: a view of the memory. */
  get amplitudes(): AmplitudeArray {
    if (this.#knownZeros.isUninitialized) this.applyAll([])
    const { buffer } = this.#engine
    const length = 2 * 2 ** this.qubits
    return this.#format.isSingle
      ? new Float32Array(buffer, LAYOUT.state, length)
      : new Float64Array(buffer, LAYOUT.state, length)
  }

  /** Copies amplitudes into the state; qubits above theirs become |0>. */
  load(amplitudes: AmplitudeArray): void {
    this.#knownZeros.isUninitialized = false
    this.#knownZeros.zeros = 0
    const all = this.amplitudes
    for (const { from, to } of this.#slices()) {
      all.set(amplitudes.subarray(from, to), from)
      if (amplitudes.length < to) all.fill(0, Math.max(from, amplitudes.length), to)
    }
  }

  /** A copy of the amplitudes. */
  copy(): AmplitudeArray {
    const all = this.amplitudes
    const copy = this.#format.isSingle ? new Float32Array(all.length) : new Float64Array(all.length)
    for (const { from, to } of this.#slices()) copy.set(all.subarray(from, to), from)
    return copy
  }

  /** Parts of the amplitudes, as a range of numbers; the work of each is counted before. */
  *#slices(): Generator<{ index: number; from: number; to: number }> {
    const length = 2 * 2 ** Math.min(MAX_SLICE_QUBITS, this.qubits)
    for (let from = 0; from < 2 * 2 ** this.qubits; from += length) {
      this.work.spend(length)
      yield { index: from / 2, from, to: from + length }
    }
  }

  /** Executes one call. */
  apply(call: KernelCall): void {
    this.applyAll([call])
  }

  /** Executes calls without yielding to the event loop. */
  applyAll(calls: readonly KernelCall[]): void {
    for (const updates of this.#engine.run(calls, this.qubits, this.#knownZeros)) this.work.spend(updates)
  }

  /** Executes calls; yields to the event loop regularly. */
  async evolve(calls: readonly KernelCall[], timeBudget: TimeBudget): Promise<void> {
    for (const updates of this.#engine.run(calls, this.qubits, this.#knownZeros)) {
      timeBudget.spend(updates)
      if (timeBudget.isYieldDue) await timeBudget.yieldIfDue()
    }
  }

  /** Projects the qubits of `mask` onto `value`, whose probability is not zero, and normalizes the state. */
  project(mask: number, value: number): void {
    const { kernel } = this.#engine
    const factor = 1 / Math.sqrt(this.weight(mask, value))
    for (const { index, from, to } of this.#slices()) {
      const size = (to - from) / 2
      const at = LAYOUT.state + this.#format.bytes * index
      const isKept = ((index ^ value) & mask & ~(size - 1)) === 0
      // With an empty mask no index has the value 1: the slice is cleared.
      if (isKept)
        kernel.project(this.#format.isSingle, at, size, mask & (size - 1), value & (size - 1), factor)
      else kernel.project(this.#format.isSingle, at, size, 0, 1, factor)
    }
  }

  /**
   * Sum of the squared magnitudes of the amplitudes with the bits `value` in `mask`: a probability if
   * normalized.
   */
  weight(mask: number, value: number): number {
    if (this.#knownZeros.isUninitialized) this.applyAll([])
    let sum = 0
    for (const { index, from, to } of this.#slices()) {
      const size = (to - from) / 2
      if (((index ^ value) & mask & ~(size - 1)) !== 0) continue
      const at = LAYOUT.state + this.#format.bytes * index
      sum += this.#engine.kernel.weight(
        this.#format.isSingle,
        at,
        size,
        mask & (size - 1),
        value & (size - 1),
      )
    }
    return sum
  }

  /** Draws one basis index per uniform number in [0, 1); each depends on its own number only. */
  sample(draws: Float64Array): Uint32Array {
    return this.#inPortions(draws.length, (from, to) => {
      new Float64Array(this.#engine.buffer, LAYOUT.draws, to - from).set(draws.subarray(from, to))
    })
  }

  /** Draws one basis index per shot; each shot uses block `block` of its own random numbers in `stream`. */
  draw(shots: Uint32Array, rng: Rng, stream: number, block: number): Uint32Array {
    const { kernel, buffer } = this.#engine
    const [keyA, keyB] = rng.key
    return this.#inPortions(shots.length, (from, to) => {
      const count = to - from
      new Uint32Array(buffer, LAYOUT.indices, count).set(shots.subarray(from, to))
      const { measurement } = PURPOSE
      kernel.drawUniform(keyA, keyB, stream, measurement, block, LAYOUT.indices, count, LAYOUT.draws)
    })
  }

  /** Writes the cumulative probabilities of groups of 2^`bits` amplitudes to the memory. */
  #addUp(bits: number): void {
    const { kernel, buffer } = this.#engine
    const groups = 2 ** (Math.min(MAX_SLICE_QUBITS, this.qubits) - bits)
    let total = 0
    for (const { index } of this.#slices()) {
      const sums = LAYOUT.sums + 8 * (index / 2 ** bits)
      kernel.addUp(this.#format.isSingle, LAYOUT.state + this.#format.bytes * index, bits, groups, sums)
      const part = new Float64Array(buffer, sums, groups)
      if (total > 0) for (let group = 0; group < groups; group++) (part[group] as number) += total
      total = part[groups - 1] as number
    }
  }

  /** Samples `count` basis indices; `fill` writes the uniform numbers of one portion to the memory. */
  #inPortions(count: number, fill: (from: number, to: number) => void): Uint32Array {
    if (this.#knownZeros.isUninitialized) this.applyAll([])
    const { kernel, buffer } = this.#engine
    const { state, sums, guide, draws, indices } = LAYOUT
    const wanted = Math.min(MAX_GROUP_SIZE_BITS, this.qubits - MAX_GROUP_COUNT_BITS)
    const bits = Math.max(0, wanted, this.qubits - MAX_GROUPS_BITS)
    const groups = 2 ** (this.qubits - bits)
    const entries = Math.min(groups, GUIDE_ENTRIES)
    this.#addUp(bits)
    kernel.buildGuide(sums, groups, guide, entries)
    const result = new Uint32Array(count)
    for (let from = 0; from < count; from += MAX_DRAWS_PER_CALL) {
      const to = Math.min(count, from + MAX_DRAWS_PER_CALL)
      this.work.spend(DRAW_WORK * (to - from))
      fill(from, to)
      const { isSingle } = this.#format
      kernel.drawIndices(isSingle, state, bits, sums, groups, guide, entries, draws, to - from, indices)
      result.set(new Uint32Array(buffer, indices, to - from), from)
    }
    return result
  }
}
