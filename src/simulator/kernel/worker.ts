/** Entry point of a thread that helps with large states, see `engine.ts`. */
import { serveWorker } from '../../base/index.ts'
import { CONTROL, LAYOUT, LEAVE } from './layout.ts'
import { instantiateKernel, type Kernel } from './memory.ts'
import type { JoinMessage, stageWorker } from './worker-pool.ts'

/** Number of blocks processed before the thread checks for an abort. */
const BLOCKS_PER_CALL = 64
/** Number of checks for the next stage before the thread sleeps. */
const SPINS = 20_000

/** Processes blocks of every stage that is opened, until the pool leaves the memory. */
function help({ memory, module, thread }: JoinMessage): void {
  const words = new Int32Array(memory.buffer, 0, 16)
  const kernel = instantiateKernel(module, memory)
  const scratch = LAYOUT.workspaces + thread * LAYOUT.workspaceBytes
  let seen = 0
  let idle = 0
  for (;;) {
    const open = Atomics.load(words, CONTROL.open)
    if (open === LEAVE) return
    if (open === 0 || open === seen) {
      if (idle++ > SPINS) Atomics.wait(words, CONTROL.open, open)
      continue
    }
    idle = 0
    // Incremented before the second check: closing the stage in between waits for this thread, or this thread
    // reads 0.
    Atomics.add(words, CONTROL.active, 1)
    if (Atomics.load(words, CONTROL.open) === open) {
      if (takeBlocks(kernel, words, scratch)) Atomics.or(words, CONTROL.helpers, 1 << (thread - 1))
      seen = open
    }
    Atomics.sub(words, CONTROL.active, 1)
    Atomics.notify(words, CONTROL.active)
  }
}

/** Processes blocks until none is left; returns false when there was none. */
function takeBlocks(kernel: Kernel, words: Int32Array, scratch: number): boolean {
  let total = 0
  let taken = BLOCKS_PER_CALL
  while (taken === BLOCKS_PER_CALL && Atomics.load(words, CONTROL.abort) === 0) {
    taken = kernel.runStage(LAYOUT.table, BLOCKS_PER_CALL, scratch, scratch + LAYOUT.blockBytes)
    total += taken
  }
  return total > 0
}

serveWorker<typeof stageWorker>(help)
