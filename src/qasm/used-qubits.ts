import type { Scope } from './execute/scope.ts'
import { FIRST_ARGUMENT, qubitsOf } from './features.ts'
import type { PackedCalls } from './syntax/packed-calls.ts'

/**
 * Collects the qubits on which a program acts while it is checked; barriers do not count. Qubits that only an
 * execution could find, such as those of a call of a subroutine, are not found, so that at least these are
 * used.
 */
export class UsedQubits {
  /** Indices as the checker has them: `$n` is -2 - n. */
  readonly #found = new Set<number>()

  add(qubits: readonly number[], scope: Scope): void {
    if (scope.owner() !== 'global') return
    for (const qubit of qubits) this.#add(qubit)
  }

  /** Gate calls that the parser has packed; `scope` resolves their registers. */
  addPacked(calls: PackedCalls, scope: Scope): void {
    if (scope.owner() !== 'global') return
    const registers = calls.registers.map((name) => qubitsOf(scope, name))
    calls.visit((index, _, first) => {
      const last = first + 2 * (calls.gates[index]?.arity.qubits ?? 0)
      for (let place = first; place < last; place += 2) {
        const [register, number] = [calls.registerAt(place), calls.qubitAt(place)]
        this.#add(register < 0 ? -2 - number : (registers[register]?.[number] ?? -1))
      }
    })
  }

  get count(): number {
    return this.#found.size
  }

  /** The physical qubits `$n` among them, in ascending order. */
  get physical(): number[] {
    return [...this.#found]
      .flatMap((qubit) => (qubit < 0 ? [-2 - qubit] : []))
      .sort((one, other) => one - other)
  }

  #add(qubit: number): void {
    if (qubit !== -1 && qubit > FIRST_ARGUMENT) this.#found.add(qubit)
  }
}
