import { fdatasync, fdatasyncSync } from 'node:fs'
import type { AppError } from '../../../base/index.ts'
import { unflushed } from '../../engine/failure.ts'

/** Frames that the event loop flushes itself: 1 MiB. It waits for the disk about as long as for one frame. */
const MAX_INLINE_FRAMES = 256

/** A disk that took longer for the last flush is slow: a thread waits for it. */
const SLOW_MS = 4

/** Flushes the log to disk. */
interface LogFlush {
  /**
   * Flushes the commits made so far, of which the last has `frames` frames. Undefined when they are on disk;
   * otherwise a thread flushes them, in the order of the calls, while the event loop goes on.
   * @throws AppError `storage_full`, reason `storage_unflushed`; the promise rejects with it too.
   */
  flush(frames: number): Promise<void> | undefined
  /** Resolves when all commits flushed so far are on disk; undefined when they are. */
  readonly running: Promise<void> | undefined
}

/** The two ways to flush; tests pass their own. */
interface Flushes {
  now(file: number): void
  inThread(file: number, done: (error: Error | null) => void): void
}

const OF_SYSTEM: Flushes = { now: fdatasyncSync, inThread: fdatasync }

interface FlushOptions {
  /** Monotonic time in ms. */
  now: () => number
  /** Whether a thread writes much to the disk, so that even a small flush takes long. */
  isDiskBusy?: () => boolean
  flushes?: Flushes
}

/**
 * Flushes of the open log `file`. Commits that are made while a thread flushes wait
 * for it, so that none is reported to be on disk before an earlier one.
 */
export function createLogFlush(
  file: number,
  { now, isDiskBusy = () => false, flushes = OF_SYSTEM }: FlushOptions,
): LogFlush {
  let lastMs = 0
  const isLong = (frames: number) => frames > MAX_INLINE_FRAMES || lastMs > SLOW_MS || isDiskBusy()
  let running: PromiseWithResolvers<void> | undefined
  let next: PromiseWithResolvers<void> | undefined
  let nextFrames = 0
  let failure: AppError | undefined

  function flushHere(): void {
    if (failure) throw failure
    const started = now()
    try {
      flushes.now(file)
      lastMs = now() - started
    } catch (error) {
      failure = unflushed(error)
      throw failure
    }
  }

  function start(group: PromiseWithResolvers<void>): void {
    // Whoever waits for it handles the error.
    group.promise.catch(() => undefined)
    running = group
    const started = now()
    flushes.inThread(file, (error) => {
      lastMs = now() - started
      if (error) failure ??= unflushed(error)
      end(group)
    })
  }

  function end(group: PromiseWithResolvers<void>): void {
    const [follower, frames] = [next, nextFrames]
    running = undefined
    next = undefined
    nextFrames = 0
    settle(group)
    if (!follower) return
    if (isLong(frames) && !failure) start(follower)
    else settle(follower, flushHere)
  }

  function settle({ resolve, reject }: PromiseWithResolvers<void>, work?: () => void): void {
    try {
      if (failure) throw failure
      work?.()
      resolve()
    } catch (error) {
      reject(error)
    }
  }

  return {
    flush(frames) {
      if (running) {
        next ??= Promise.withResolvers<void>()
        next.promise.catch(() => undefined)
        nextFrames += frames
        return next.promise
      }
      if (!isLong(frames)) {
        flushHere()
        return undefined
      }
      const group = Promise.withResolvers<void>()
      start(group)
      return group.promise
    },
    get running() {
      return (next ?? running)?.promise
    },
  }
}
