import { startWorker } from '../../base/index.ts'
import { CONTROL, LEAVE } from './layout.ts'

/** What a helping thread is told: help with the stages in this memory until it is left. */
export interface HelpMessage {
  memory: WebAssembly.Memory
  module: WebAssembly.Module
  /** Its number among the threads, from 1. */
  thread: number
}

/** The threads that help with large states. They are started at first need and stay. */
export class WorkerPool {
  readonly #module: WebAssembly.Module
  readonly #size: number
  /** By number, from 1. */
  readonly #workers = new Map<number, Worker>()
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
      const message: HelpMessage = { memory, module: this.#module, thread }
      const asked = worker ?? this.#startOne(thread)
      asked.postMessage(message)
    }
  }

  #startOne(thread: number): Worker {
    const worker = startWorker('simulator/kernel/worker')
    // One that cannot start or ends is not waited for: the others do its blocks, and the next circuit starts another.
    const forget = (): void => {
      if (this.#workers.get(thread) === worker) this.#workers.delete(thread)
    }
    worker.addEventListener('error', forget)
    worker.addEventListener('close', forget)
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
