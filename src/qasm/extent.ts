import { type Op, qubitsOf, secondsOf } from './circuit.ts'
import { assertValueCount } from './execute/lower.ts'
import { Undecided } from './execute/machine.ts'
import type { Program } from './execute/program.ts'
import { Runner } from './execute/run.ts'
import { positioned, positionOf } from './fault.ts'
import { isFrameChange } from './gates/frame-change.ts'
import { fullLimits, type Limits } from './limits.ts'
import { FIRST_OUTCOME } from './values/values.ts'

/** How much there is of something, and the line that adds the last of it; 0 if none does. */
export interface Extent {
  amount: number
  line: number
}

/** What each execution of a program takes of a device at least. */
export interface ProgramExtents {
  /** Length of its waits on the longest chain of qubits, s; a nanosecond more with a measurement. */
  seconds: Extent
  /** Measurements that are played: a last one without a bit is not. */
  acquisitions: Extent
  /** Gates that are played if they are played as written. */
  gates: Extent
}

/** Thrown by `limits.checkpoint`: what was executed so far is the least that a program takes. */
export class EnoughExecuted extends Error {}

/** No measurement is shorter, s. */
const SHORTEST_READOUT = 1e-9

/**
 * What a program takes at least, by executing its classical part with open outcomes, up to the first of them
 * that decides what follows, or to `EnoughExecuted`. Throws `QasmError` for what every execution runs into,
 * such as a negative wait.
 */
export function extentsOf(
  program: Program,
  values: readonly number[],
  limits?: Partial<Limits>,
): ProgramExtents {
  return positioned(program.text, () => {
    assertValueCount(program, values)
    const counter = new ExtentCounter()
    const runner = new Runner(program, values, counter, fullLimits(limits))
    let isWhole = true
    try {
      runner.run()
    } catch (error) {
      if (!(error instanceof Undecided || error instanceof EnoughExecuted)) throw error
      isWhole = false
    }
    const held = isWhole ? runner.layout.cells.map(({ state }) => state - FIRST_OUTCOME) : []
    return counter.extents(new Set(held), program.text)
  })
}

/** Counts what the steps of a program take. */
class ExtentCounter {
  /** When each qubit is free, s. */
  readonly #free = new Map<number, number>()
  /** By qubit: its measurement after which nothing has happened to it. */
  readonly #last = new Map<number, number>()
  #seconds = 0
  #secondsAt = -1
  #measured = 0
  #measuredAt = -1
  #gates = 0
  #gatesAt = -1

  emit(op: Op, at: number): void {
    if (op.kind === 'barrier') {
      this.#join(op.qubits)
      return
    }
    const isGate = op.kind === 'unitary' || op.kind === 'phase'
    if (isGate && isFrameChange(op)) return
    for (const qubit of qubitsOf(op)) this.#last.delete(qubit)
    if (op.kind === 'delay') this.#wait(op.qubits, secondsOf(op), at)
    if (!isGate || (op.kind === 'unitary' && op.waits !== undefined)) return
    this.#gates += 1
    this.#gatesAt = at
  }

  measure(qubit: number, at: number): number {
    this.#last.set(qubit, this.#measured)
    this.#measuredAt = at
    return FIRST_OUTCOME + this.#measured++
  }

  /** @param held outcomes that are in the result */
  extents(held: ReadonlySet<number>, text: string): ProgramExtents {
    const discarded = [...this.#last.values()].filter((outcome) => !held.has(outcome)).length
    const acquisitions = this.#measured - discarded
    const isRead = this.#seconds > 0 && acquisitions > 0
    const at = (amount: number, place: number): Extent => ({
      amount,
      line: place < 0 ? 0 : positionOf(text, place).line,
    })
    return {
      seconds: at(this.#seconds + (isRead ? SHORTEST_READOUT : 0), this.#secondsAt),
      acquisitions: at(acquisitions, this.#measuredAt),
      gates: at(this.#gates, this.#gatesAt),
    }
  }

  /** What a barrier joins goes on together. Gates that join qubits may be optimized away. */
  #join(qubits: readonly number[]): void {
    if (qubits.length < 2) return
    const from = qubits.reduce((most, qubit) => Math.max(most, this.#free.get(qubit) ?? 0), 0)
    if (from > 0) for (const qubit of qubits) this.#free.set(qubit, from)
  }

  #wait(qubits: readonly number[], seconds: number, at: number): void {
    for (const qubit of qubits) {
      const end = (this.#free.get(qubit) ?? 0) + seconds
      this.#free.set(qubit, end)
      if (end <= this.#seconds) continue
      this.#seconds = end
      this.#secondsAt = at
    }
  }
}
