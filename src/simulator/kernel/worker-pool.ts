import { defineWorker, type RunningWorker, startWorker } from '../../base/index.ts'
import { CONTROL, LEAVE } from './layout.ts'

/** What a helping thread is told: help with the stages in this memory until it is left. */
export interface JoinMessage {
  memory: WebAssembly.Memory
  module: WebAssembly.Module
  /** Its number among the threads, from 1. */
  thread: number
}

/** Helps with the stages of a large state; it reports through the shared memory only. */
export const stageWorker = defineWorker<JoinMessage, never>('src/simulator/kernel/worker.ts')

/** The threads that help with large states. They are started at first need and stay. */
export class WorkerPool {
  readonly #module: WebAssembly.Module
  readonly #size: number
  /** By number, from 1. */
  readonly #workers = new Map<number, RunningWorker<JoinMessage>>()
  /** Where they look for stages. */
  #memory: WebAssembly.Memory | undefined

  constructor(module: WebAssembly.Module, size: number) {
    this.#module = module
    this.#size = size
  }

  /** Has all threads help with the stages in `memory`, and nowhere else. They come when they are ready. */
  join(memory: WebAssembly.Memory): void {
    const isNew = memory !== this.#memory
    if (isNew) this.leave()
    this.#memory = memory
    for (let thread = 1; thread <= this.#size; thread++) {
      const worker = this.#workers.get(thread)
      if (worker && !isNew) continue
      const message: JoinMessage = { memory, module: this.#module, thread }
      const asked = worker ?? this.#startOne(thread)
      asked.send(message)
    }
  }

  #startOne(thread: number): RunningWorker<JoinMessage> {
    // Nothing waits for a thread that cannot start or ends: the others process its blocks, and the next circuit
    // starts another one.
    const worker = startWorker(stageWorker, { onEnd: () => this.#workers.delete(thread) })
    this.#workers.set(thread, worker)
    return worker
  }

  /** Has all threads leave the memory they look at. */
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
