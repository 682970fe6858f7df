import type { CircuitResult } from '../../../protocol/index.ts'
import type { Execution } from './executions.ts'
import type { ShareRunner } from './run-share.ts'

/** Circuits with larger states are left to be run one by one, with all processors and all memory. */
const MOST_QUBITS = 18
/** Ends the taking: no number is as large. */
const NONE_LEFT = 2 ** 30

/** What came of a circuit that a thread has taken: no result if it is a large one. */
export type Report =
  | { stream: number; result: CircuitResult | undefined }
  | { stream: number; error: unknown }

/** Hands out the circuits of a job in order, each to one thread. */
export class Taking {
  readonly buffer: SharedArrayBuffer
  /** The next number, and one more than the last that is handed out. */
  readonly #words: Int32Array

  /** Of `count` circuits, or one that another thread has made. */
  constructor(from: number | SharedArrayBuffer) {
    this.buffer = typeof from === 'number' ? new SharedArrayBuffer(8) : from
    this.#words = new Int32Array(this.buffer)
    if (typeof from === 'number') Atomics.store(this.#words, 1, from)
  }

  /** How many circuits are, or will be, taken. */
  get end(): number {
    return Atomics.load(this.#words, 1)
  }

  take(): number {
    return Atomics.add(this.#words, 0, 1)
  }

  /** Hands out no more. */
  stop(): void {
    const next = Atomics.exchange(this.#words, 0, NONE_LEFT)
    if (next < this.end) Atomics.store(this.#words, 1, next)
  }
}

/** Takes circuits of a job in turn with other threads and runs them. After an error nobody takes any more. */
export async function takeShare(
  runner: ShareRunner,
  executions: readonly Execution[],
  taking: Taking,
  report: (answer: Report) => void,
): Promise<void> {
  for (;;) {
    const stream = taking.take()
    const execution = executions[stream]
    if (!execution) return
    try {
      const prepared = runner.prepare(execution)
      const isLarge = prepared.stateQubits > MOST_QUBITS
      report({ stream, result: isLarge ? undefined : await runner.run(prepared) })
    } catch (error) {
      taking.stop()
      report({ stream, error })
      return
    }
  }
}
