import { bitCount } from '../numeric/bits.ts'
import type { KernelCall } from './kernel-call.ts'
import { type AmplitudeFormat, CONTROL, FORMATS, LAYOUT, MAX_THREADS } from './layout.ts'
import { loadKernel } from './load-kernel.ts'
import { createMemory, instantiateKernel, type Kernel } from './memory.ts'
import { planStages, type Stage } from './plan-stages.ts'
import { type Pass, scheduleStage } from './schedule-stage.ts'
import { StageWriter } from './stage-writer.ts'
import { WorkerPool } from './worker-pool.ts'

/**
 * Maximum number of calls planned together: planning time grows with the calls that could not join a stage.
 */
const MAX_WINDOW_CALLS = 2_048
/**
 * Maximum number of amplitude updates planned together, so that one block takes no longer than a few
 * portions.
 */
const MAX_WINDOW_WORK = 2 ** 24
/** Below this many qubits one thread is as fast as two: measured, see docs/explanation/simulation.md. */
export const MIN_PARALLEL_QUBITS = 16
/** Below this many qubits a pass over the state takes less time than finding a better order of the gates. */
const MIN_SCHEDULED_QUBITS = 11
/** Amplitude updates between two checks of the clock: some milliseconds. */
const PORTION_WORK = 2 ** 22
/** Number of checks for the other threads before this thread sleeps. */
const SPINS = 2_000
/**
 * Maximum time of a thread for one block, in ms; a block normally takes some hundredths of a second at most.
 */
const BLOCK_TIMEOUT_MS = 5_000
const MAX_GENERATION = 2 ** 30
/** Larger memories are released after a circuit, in bytes. */
const MAX_IDLE_MEMORY_BYTES = 2 ** 30

/** Zeros of a state that are known before a stage. */
export interface KnownZeros {
  /** Qubits that are still |0>, as a mask. */
  zeros: number
  /** Whether the memory does not contain the state |0…0> yet. */
  isUninitialized: boolean
}

/**
 * Compiles the kernel for `threads` threads, the calling one included. A helping thread that takes longer
 * than `blockTimeoutMs` for one block fails the run.
 */
export async function createEngine(threads: number, blockTimeoutMs = BLOCK_TIMEOUT_MS): Promise<Engine> {
  return new Engine(await loadKernel(), threads, blockTimeoutMs)
}

/** A memory for a block. */
function smallestMemory(): WebAssembly.Memory {
  return createMemory(FORMATS.double.blockQubits, FORMATS.double)
}

/**
 * The compiled kernel with its memory, which contains one state, and the threads that help with large states.
 */
export class Engine {
  /** Number of threads for large states, the calling one included. */
  readonly threads: number
  readonly #module: WebAssembly.Module
  readonly #blockTimeoutMs: number
  readonly #workerPool: WorkerPool
  #memory: WebAssembly.Memory
  #kernel: Kernel
  #words: Int32Array
  #writer: StageWriter
  #generation = 0
  #format: AmplitudeFormat = FORMATS.double

  constructor(module: WebAssembly.Module, threads: number, blockTimeoutMs: number) {
    this.#blockTimeoutMs = blockTimeoutMs
    this.#module = module
    this.threads = Math.min(threads, MAX_THREADS)
    this.#workerPool = new WorkerPool(module, this.threads - 1)
    this.#memory = smallestMemory()
    this.#kernel = instantiateKernel(module, this.#memory)
    this.#words = new Int32Array(this.#memory.buffer, 0, 16)
    this.#writer = new StageWriter(this.#memory.buffer)
  }

  get kernel(): Kernel {
    return this.#kernel
  }

  /** The functions of the kernel for a memory that is not the state's. */
  kernelFor(memory: WebAssembly.Memory): Kernel {
    return instantiateKernel(this.#module, memory)
  }

  get buffer(): ArrayBufferLike {
    return this.#memory.buffer
  }

  /** Allocates memory for a state; the previous state is lost. */
  reserve(qubits: number, format: AmplitudeFormat): void {
    this.#format = format
    const bytes = LAYOUT.state + format.bytes * 2 ** qubits
    const allocated = this.#memory.buffer.byteLength
    if (allocated < bytes || (allocated > MAX_IDLE_MEMORY_BYTES && allocated > 2 * bytes))
      this.#replace(createMemory(qubits, format))
    Atomics.store(this.#words, CONTROL.helpers, 0)
  }

  /** Releases the memory of a large state. */
  release(): void {
    if (this.#memory.buffer.byteLength > MAX_IDLE_MEMORY_BYTES) this.#replace(smallestMemory())
  }

  #replace(memory: WebAssembly.Memory): void {
    this.#workerPool.leave()
    this.#memory = memory
    this.#kernel = instantiateKernel(this.#module, memory)
    this.#words = new Int32Array(memory.buffer, 0, 16)
    this.#writer = new StageWriter(memory.buffer)
  }

  /** Number of threads that have worked on the state since it was reserved. */
  get threadsUsed(): number {
    return 1 + bitCount(Atomics.load(this.#words, CONTROL.helpers))
  }

  /** Starts the helping threads, so that they are ready for the first large circuit. */
  warmUp(): void {
    this.#workerPool.join(this.#memory)
  }

  /**
   * Ends the helping threads and replaces the memory, which they may still use for a moment. The state is
   * lost.
   */
  stop(): void {
    this.#workerPool.stop()
    this.#replace(smallestMemory())
  }

  /**
   * Executes calls on the state; updates `zeros`. Yields the number of amplitude updates every few
   * milliseconds; ending the iteration early leaves the state undefined.
   * @throws Error when a helping thread does not finish its block in time.
   */
  *run(calls: readonly KernelCall[], qubits: number, zeros: KnownZeros): Generator<number> {
    // Independent of the number of threads, so that rounding is too.
    const largest = this.#format.blockQubits
    const blockQubits = qubits <= largest ? qubits : Math.min(largest, qubits - 2)
    const window = Math.max(64, Math.min(MAX_WINDOW_CALLS, MAX_WINDOW_WORK / 2 ** blockQubits))
    if (qubits >= MIN_PARALLEL_QUBITS) this.#workerPool.join(this.#memory)
    try {
      let from = 0
      do {
        for (const stage of planStages(calls.slice(from, from + window), qubits, blockQubits)) {
          yield* this.#runStage(stage, qubits, zeros)
        }
        from += window
      } while (from < calls.length)
    } finally {
      Atomics.store(this.#words, CONTROL.abort, 1)
      this.#close()
    }
  }

  *#runStage({ set, calls }: Stage, qubits: number, zeros: KnownZeros): Generator<number> {
    let passes: readonly Pass[] = qubits < MIN_SCHEDULED_QUBITS ? calls : scheduleStage(calls, set)
    do {
      const written = this.#writer.write({ qubits, set, format: this.#format, ...zeros }, passes)
      yield* this.#runBlocks(2 ** (qubits - bitCount(set)), Math.max(1, written) * 2 ** bitCount(set))
      zeros.isUninitialized = false
      passes = passes.slice(written)
    } while (passes.length > 0)
    zeros.zeros &= ~set
  }

  /**
   * Opens the stage to all threads and processes blocks until none is left; `work` is the updates of one
   * block.
   */
  *#runBlocks(blocks: number, work: number): Generator<number> {
    const words = this.#words
    const portion = Math.max(1, Math.floor(PORTION_WORK / work))
    Atomics.store(words, CONTROL.abort, 0)
    Atomics.store(words, CONTROL.nextBlock, 0)
    if (blocks > 1) {
      this.#generation = (this.#generation % MAX_GENERATION) + 1
      Atomics.store(words, CONTROL.open, this.#generation)
      Atomics.notify(words, CONTROL.open)
    }
    while (Atomics.load(words, CONTROL.nextBlock) < blocks) {
      yield work *
        this.#kernel.runStage(LAYOUT.table, portion, LAYOUT.workspaces, LAYOUT.workspaces + LAYOUT.blockBytes)
    }
    this.#close()
  }

  /** Closes the stage and waits for threads that are still processing their last block. */
  #close(): void {
    const words = this.#words
    Atomics.store(words, CONTROL.open, 0)
    for (let tries = 0; ; tries++) {
      const active = Atomics.load(words, CONTROL.active)
      if (active === 0) return
      if (tries < SPINS) continue
      if (tries > SPINS + this.#blockTimeoutMs) break
      Atomics.wait(words, CONTROL.active, active, 1)
    }
    this.stop()
    throw new Error('a thread of the simulator does not respond')
  }
}
