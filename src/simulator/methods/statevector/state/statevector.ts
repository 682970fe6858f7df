import type { Engine, KnownZeros } from '../../../kernel/engine.ts'
import type { KernelCall } from '../../../kernel/kernel-call.ts'
import { LAYOUT, MAX_DRAWS_PER_CALL } from '../../../kernel/layout.ts'
import type { Rng } from '../../../numeric/random.ts'
import { PURPOSE } from '../../../numeric/random.ts'
import type { TimeBudget } from '../../../timing/time-budget.ts'

/** Largest number of qubits: the addresses of the kernel have 32 bits. */
export const MAX_STATE_QUBITS = 27

/**
 * Probabilities are summed in groups of amplitudes: up to 2^11 groups, then groups of up to 2^6 amplitudes, then more
 * groups. A draw goes through some groups and one group.
 */
const MAX_GROUP_COUNT_BITS = 11
const MAX_GROUP_SIZE_BITS = 6
/** Parts of the unit interval for which it is known in which group they begin. */
const GUIDE_ENTRIES = 4_096

/**
 * A pure state in double precision; qubit 0 is the least significant bit of the basis index. It lives in the memory of
 * its engine, which holds one at a time: a new one replaces it.
 */
export class Statevector {
  readonly qubits: number
  readonly #engine: Engine
  readonly #knownZeros: KnownZeros

  /**
   * The state |0…0>.
   * @throws RangeError above 27 qubits.
   */
  constructor(engine: Engine, qubits: number) {
    if (qubits > MAX_STATE_QUBITS)
      throw new RangeError(`a statevector has at most ${MAX_STATE_QUBITS} qubits`)
    engine.reserve(qubits)
    this.qubits = qubits
    this.#engine = engine
    this.#knownZeros = { zeros: 2 ** qubits - 1, isUninitialized: true }
  }

  /** Makes it |0…0> again. */
  reset(): void {
    this.#knownZeros.zeros = 2 ** this.qubits - 1
    this.#knownZeros.isUninitialized = true
  }

  /** `[2^qubits][re, im]`, flat: the memory itself. */
  get amplitudes(): Float64Array {
    if (this.#knownZeros.isUninitialized) this.applyAll([])
    return new Float64Array(this.#engine.buffer, LAYOUT.state, 2 * 2 ** this.qubits)
  }

  /** Takes over a copy of amplitudes. */
  load(amplitudes: Float64Array): void {
    this.#knownZeros.isUninitialized = false
    this.#knownZeros.zeros = 0
    this.amplitudes.set(amplitudes)
  }

  /** Carries out one call. */
  apply(call: KernelCall): void {
    this.applyAll([call])
  }

  /** Carries out calls without giving way to other tasks. */
  applyAll(calls: readonly KernelCall[], timeBudget?: TimeBudget): void {
    for (const updates of this.#engine.run(calls, this.qubits, this.#knownZeros)) timeBudget?.spend(updates)
  }

  /** Carries out calls; gives way to other tasks now and then. */
  async evolve(calls: readonly KernelCall[], timeBudget: TimeBudget): Promise<void> {
    for (const updates of this.#engine.run(calls, this.qubits, this.#knownZeros)) {
      timeBudget.spend(updates)
      if (timeBudget.isYieldDue) await timeBudget.yieldIfDue()
    }
  }

  /** Sets the qubits of `mask` to the measured bits of `value`, which has some probability, and normalises. */
  project(mask: number, value: number): void {
    const { kernel } = this.#engine
    const factor = 1 / Math.sqrt(this.weight(mask, value))
    kernel.project(LAYOUT.state, 2 ** this.qubits, mask, value, factor)
  }

  /** Sum of the squared sizes of the amplitudes with the bits `value` in `mask`: a probability if it is normalised. */
  weight(mask: number, value: number): number {
    if (this.#knownZeros.isUninitialized) this.applyAll([])
    return this.#engine.kernel.weight(LAYOUT.state, 2 ** this.qubits, mask, value)
  }

  /** Draws one basis index per uniform number in [0, 1); each follows from its own number alone. */
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

  /** Samples `count` basis indices, `fill` writing the uniform numbers for those from one to another. */
  #inPortions(count: number, fill: (from: number, to: number) => void): Uint32Array {
    if (this.#knownZeros.isUninitialized) this.applyAll([])
    const { kernel, buffer } = this.#engine
    const { state, sums, guide, draws, indices } = LAYOUT
    const bits = Math.min(MAX_GROUP_SIZE_BITS, Math.max(0, this.qubits - MAX_GROUP_COUNT_BITS))
    const groups = 2 ** (this.qubits - bits)
    const entries = Math.min(groups, GUIDE_ENTRIES)
    kernel.addUp(state, bits, groups, sums)
    kernel.buildGuide(sums, groups, guide, entries)
    const result = new Uint32Array(count)
    for (let from = 0; from < count; from += MAX_DRAWS_PER_CALL) {
      const to = Math.min(count, from + MAX_DRAWS_PER_CALL)
      fill(from, to)
      kernel.drawIndices(state, bits, sums, groups, guide, entries, draws, to - from, indices)
      result.set(new Uint32Array(buffer, indices, to - from), from)
    }
    return result
  }
}
