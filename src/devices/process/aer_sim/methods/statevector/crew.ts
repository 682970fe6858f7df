import { startWorker } from '../../../../../base/index.ts'
import { CONTROL } from './layout.ts'

/** What a helping thread is told: help with the stages of the circuit in this memory. */
export interface HelpMessage {
  memory: WebAssembly.Memory
  module: WebAssembly.Module
  /** Its number among the threads, from 1. */
  thread: number
}

/** The threads that help with large states. They are started at first need and stay. */
export class Crew {
  readonly #module: WebAssembly.Module
  readonly #size: number
  #workers: Worker[] = []

  constructor(module: WebAssembly.Module, size: number) {
    this.#module = module
    this.#size = size
  }

  /** Starts the threads that are missing. */
  start(): void {
    while (this.#workers.length < this.#size) this.#workers.push(this.#startOne())
  }

  #startOne(): Worker {
    const worker = startWorker('devices/process/aer_sim/methods/statevector/worker')
    // One that cannot start or ends is not waited for: the others do its blocks, and the next circuit starts another.
    const forget = (): void => {
      this.#workers = this.#workers.filter((each) => each !== worker)
    }
    worker.addEventListener('error', forget)
    worker.addEventListener('close', forget)
    return worker
  }

  /** Asks all threads to help with the circuit in `memory`; they come when they are ready. */
  call(memory: WebAssembly.Memory): void {
    this.start()
    const words = new Int32Array(memory.buffer, 0, 16)
    Atomics.store(words, CONTROL.helped, 0)
    Atomics.store(words, CONTROL.dismissed, 0)
    this.#workers.forEach((worker, index) => {
      worker.postMessage({ memory, module: this.#module, thread: index + 1 } satisfies HelpMessage)
    })
  }

  /** Sends the threads home when the circuit is done. */
  dismiss(words: Int32Array): void {
    Atomics.store(words, CONTROL.dismissed, 1)
    Atomics.notify(words, CONTROL.open)
  }

  /** Ends all threads. */
  stop(): void {
    for (const worker of this.#workers) worker.terminate()
    this.#workers = []
  }
}
