import type { KernelCall } from './compile.ts'
import { applyMany, applyOne, flip, project, scale, weight } from './kernels.ts'

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

  /** Sets the qubits of `mask` to the measured bits of `value`, which has some probability, and normalises. */
  project(mask: number, value: number): void {
    project(this.amplitudes, mask, value, 1 / Math.sqrt(weight(this.amplitudes, mask, value)))
  }
}
