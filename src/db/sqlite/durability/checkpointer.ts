import { feature } from 'bun:bundle'
import { failpoint, nextTurn } from '../../../base/index.ts'
import type { CheckpointThread } from './checkpoint-thread.ts'
import type { LogPosition } from './log-file.ts'

/**
 * Growth of the log after which it is copied into the database: 16 MB. SQLite does so after a quarter of
 * that, but a page that was written often is copied once, and each checkpoint flushes the disk several times.
 */
const FRAMES = 4_000

/** Frames that may be left for the last pass, in which nothing is written: 1 MB, copied within some ms. */
const MAX_LAST_FRAMES = 250

/** Passes while writes go on. If they write as fast as the thread copies, the last pass has more to do. */
const MAX_PASSES = 4

/** Has a thread copy the log into the database while writes go on, so that the log starts again. */
interface Checkpointer {
  /** Tells where the log ends after a commit; begins a checkpoint when it has grown enough. */
  grown(position: LogPosition): void
  /** Whether the thread copies, and the disk is busy with it. */
  readonly isRunning: boolean
  /** The end of the last pass of a checkpoint, in which nothing is to be written; undefined otherwise. */
  readonly pause: Promise<void> | undefined
  /**
   * Makes a checkpoint, or waits for the one that runs. Resolves with whether all of the log is in the
   * database: a reader of an older state keeps the rest.
   */
  run(): Promise<boolean>
  /** Waits for the checkpoint that runs, and ends the thread. */
  close(): Promise<void>
}

/**
 * SQLite starts a log again with the first commit after all of it is in the database, so the last pass must
 * not have company: new writes wait for it. It copies what was committed during the passes before.
 */
export function createCheckpointer(
  thread: CheckpointThread,
  onFailed: (error: unknown) => void,
): Checkpointer {
  let end: LogPosition | undefined
  /** Where the log ended after the last checkpoint. */
  let seen: LogPosition | undefined
  let running: Promise<boolean> | undefined
  let pause: Promise<void> | undefined

  const hasGrown = () => {
    if (!end) return false
    return end.frame - (seen?.salt === end.salt ? seen.frame : 0) >= FRAMES
  }

  async function copy(): Promise<boolean> {
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      const copied = thread.checkpoint()
      if (feature('FAILPOINTS')) failpoint('checkpoint.sent')
      const { log, checkpointed } = await copied
      if (checkpointed < log) return false
      const left = (end?.frame ?? 0) - checkpointed
      // Fewer when the log has been started again.
      if (left <= 0) return true
      if (left <= MAX_LAST_FRAMES) break
    }
    return copyLast()
  }

  async function copyLast(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>()
    pause = promise
    try {
      // The end of a group that is open.
      await nextTurn()
      const copied = thread.checkpoint()
      if (feature('FAILPOINTS')) failpoint('checkpoint.paused')
      const { log, checkpointed } = await copied
      if (feature('FAILPOINTS')) failpoint('checkpoint.ended')
      return checkpointed === log
    } finally {
      pause = undefined
      resolve()
    }
  }

  async function run(): Promise<boolean> {
    try {
      if (feature('FAILPOINTS')) failpoint('checkpoint.begun')
      return await copy()
    } catch (error) {
      onFailed(error)
      return false
    } finally {
      seen = end
      running = undefined
    }
  }

  const checkpointer: Checkpointer = {
    get isRunning() {
      return running !== undefined
    },
    get pause() {
      return pause
    },
    grown(position) {
      end = position
      if (hasGrown()) void checkpointer.run()
    },
    run() {
      running ??= run()
      return running
    },
    async close() {
      await running
      await thread.close()
    },
  }
  return checkpointer
}
