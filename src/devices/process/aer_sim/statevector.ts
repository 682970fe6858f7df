import type { KernelCall } from './compile.ts'
import { applyMany, applyOne, flip, scale, weight } from './kernels.ts'

/** Outcomes less likely than this are rounding errors: they never occur. */
const IMPOSSIBLE = 1e-12

/** Largest number of qubits the kernels can index; memory runs out before. */
export const MAX_STATE_QUBITS = 29

/** A pure state in double precision; qubit 0 is the least significant bit of the basis index. */
export class Statevector {
  readonly qubits: number
  /** `[2^qubits][re, im]`, flat. */
  readonly amplitudes: Float64Array

  /**
   * The state |0…0>, or one that takes over the given amplitudes.
   * @throws RangeError above 29 qubits.
   */
  constructor(qubits: number, amplitudes?: Float64Array) {
    if (qubits > MAX_STATE_QUBITS)
      throw new RangeError(`a statevector has at most ${MAX_STATE_QUBITS} qubits`)
    this.qubits = qubits
    this.amplitudes = amplitudes ?? new Float64Array(2 * 2 ** qubits)
    if (!amplitudes) this.amplitudes[0] = 1
  }

  clone(): Statevector {
    return new Statevector(this.qubits, this.amplitudes.slice())
  }

  /** Carries out one kernel call. */
  apply(call: KernelCall): void {
    const { controls, value } = call
    if (call.kind === 'scale') scale(this.amplitudes, controls, value, call.re, call.im)
    else if (call.kind === 'flip') flip(this.amplitudes, call.target, controls, value)
    else if (call.kind === 'one') applyOne(this.amplitudes, call.target, controls, value, call.matrix)
    else applyMany(this.amplitudes, call.targets, controls, value, call.matrix)
  }

  /** Probability of 1 on the qubit with bit `bit`; exactly 0 or 1 when the rest is only a rounding error. */
  probabilityOfOne(bit: number): number {
    const one = weight(this.amplitudes, bit, bit)
    const zero = weight(this.amplitudes, bit, 0)
    const share = one / (one + zero)
    if (share < IMPOSSIBLE) return 0
    return share > 1 - IMPOSSIBLE ? 1 : share
  }

  /** Projects a qubit on a measured outcome, which has the given probability (> 0), and normalises. */
  collapse(bit: number, outcome: number, probability: number): void {
    const kept = outcome === 1 ? bit : 0
    scale(this.amplitudes, bit, bit - kept, 0, 0)
    if (probability !== 1) scale(this.amplitudes, bit, kept, 1 / Math.sqrt(probability), 0)
  }

  /** Moves a qubit that was measured as 1 back to |0>. */
  lower(bit: number): void {
    flip(this.amplitudes, bit, 0, 0)
  }
}
