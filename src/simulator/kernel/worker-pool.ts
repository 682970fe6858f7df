import { defineWorker, type RunningWorker, startWorker } from '../../base/index.ts'
import { CONTROL, LEAVE } from './layout.ts'

/** Makes a helping thread process stages in this memory until the memory is released. */
export interface JoinMessage {
  memory: WebAssembly.Memory
  module: WebAssembly.Module
  /** Number of the helping thread, from 1. */
  thread: number
}

/** Processes blocks of large states; communicates through the shared memory only. */
export const stageWorker = defineWorker<JoinMessage, never>('src/simulator/kernel/worker.ts')

/** The threads that help with large states. They are started when first needed and are reused. */
export class WorkerPool {
  readonly #module: WebAssembly.Module
  readonly #size: number
  /** Running threads by number, from 1. */
  readonly #workers = new Map<number, RunningWorker<JoinMessage>>()
  /** The memory whose stages they process. */
  #memory: WebAssembly.Memory | undefined

  constructor(module: WebAssembly.Module, size: number) {
    this.#module = module
    this.#size = size
  }

  /** Makes all threads process the stages in `memory`; they join as soon as they are ready. */
  join(memory: WebAssembly.Memory): void {
    const isNew = memory !== this.#memory
    if (isNew) this.leave()
    this.#memory = memory
    for (let thread = 1; thread <= this.#size; thread++) {
      const worker = this.#workers.get(thread)
      if (worker && !isNew) continue
      const message: JoinMessage = { memory, module: this.#module, thread }
      const running = worker ?? this.#startOne(thread)
      running.send(message)
    }
  }

  #startOne(thread: number): RunningWorker<JoinMessage> {
    // Nothing waits for a thread that cannot start or ends: the others process its blocks, and the next
    // circuit starts another one.
    const worker = startWorker(stageWorker, { onEnd: () => this.#workers.delete(thread) })
    this.#workers.set(thread, worker)
    return worker
  }

  /** Makes all threads leave the current memory. */
  leave(): void {
    if (!this.#memory) return
    const words = new Int32Array(this.#memory.buffer, 0, 16)
    Atomics.store(words, CONTROL.open, LEAVE)
    Atomics.notify(words, CONTROL.open)
    this.#memory = undefined
  }

  /** Ends all threads. */
  stop(): void {
    this.leave()
    for (const worker of this.#workers.values()) worker.terminate()
    this.#workers.clear()
  }
}
