import type { Execution } from '../circuits/executions.ts'
import type { ExecutionResult } from './batch-job.ts'
import type { CircuitRunner } from './circuit-runner.ts'

/** Circuits with larger states are left to be run one by one, with all processors and all memory. */
const MAX_BATCH_QUBITS = 18
/** Position of a stopped queue, above every index. */
const STOPPED = 2 ** 30

/**
 * The end of one execution that a thread took from the queue; no result for one that is too large for a
 * batch.
 */
export type CircuitReport =
  | { stream: number; result: ExecutionResult | undefined }
  | { stream: number; error: unknown }

/** Indices of the executions of a job in shared memory; each is taken by one thread, in order. */
export class WorkQueue {
  readonly buffer: SharedArrayBuffer
  /** The next index, and the number of indices. */
  readonly #words: Int32Array

  /** A queue of `count` executions, or the queue in the buffer of another thread. */
  constructor(from: number | SharedArrayBuffer) {
    this.buffer = typeof from === 'number' ? new SharedArrayBuffer(8) : from
    this.#words = new Int32Array(this.buffer)
    if (typeof from === 'number') Atomics.store(this.#words, 1, from)
  }

  /** Number of executions that were or will be taken. */
  get size(): number {
    return Atomics.load(this.#words, 1)
  }

  /** Takes the next index; `size` or above when none is left. */
  takeNext(): number {
    return Atomics.add(this.#words, 0, 1)
  }

  /** Ends the queue: `size` becomes the number of indices taken so far. */
  stop(): void {
    const next = Atomics.exchange(this.#words, 0, STOPPED)
    if (next < this.size) Atomics.store(this.#words, 1, next)
  }
}

/**
 * Takes executions from the queue and runs them until none is left. An error, also one of `readExecutions`,
 * stops the queue for all threads.
 */
export async function runNextCircuits(
  runner: CircuitRunner,
  readExecutions: () => readonly Execution[],
  queue: WorkQueue,
  report: (report: CircuitReport) => void,
): Promise<void> {
  let executions: readonly Execution[] | undefined
  for (;;) {
    const stream = queue.takeNext()
    if (stream >= queue.size) return
    try {
      executions ??= readExecutions()
      const execution = executions[stream] as Execution
      const prepared = runner.prepare(execution)
      const isTooLarge = prepared.stateQubits > MAX_BATCH_QUBITS
      report({ stream, result: isTooLarge ? undefined : await runner.run(prepared) })
    } catch (error) {
      queue.stop()
      report({ stream, error })
      return
    }
  }
}
