import { statSync } from 'node:fs'
import type { AppError, Clock, Log } from '../../../base/index.ts'
import { isUnflushed } from '../../engine/failure.ts'
import type { FileConnection } from '../connection.ts'
import { createCheckpointThread } from './checkpoint-thread.ts'
import { createCheckpointer } from './checkpointer.ts'
import type { LogPosition } from './log-file.ts'
import { createLogFlush } from './log-flush.ts'
import { openLogMark, removeMark } from './log-mark.ts'
import { type LogTail, openLogTail } from './log-tail.ts'
import { createReplicatorWindow } from './replicator-window.ts'

/** Equal to `journal_size_limit`, the size to which SQLite truncates the log when it restarts it. */
const MAX_LOG_BYTES = 67_108_864

/**
 * Who copies the log into the database and empties it: this process, or a replicator that has to read each
 * log before it is emptied.
 */
export type Checkpoints = 'server' | 'external'

/** The write-ahead log of a database, seen from the writing connection. */
export interface WriteAheadLog {
  /**
   * Flushes and marks what was committed last. Undefined when it is on disk; otherwise a thread flushes it.
   * @throws AppError `storage_full`, reason `storage_unflushed`; the promise rejects with it too.
   */
  committed(): Promise<void> | undefined
  /** Resolves when all that was committed so far is on disk; undefined when it is. */
  readonly flushing: Promise<void> | undefined
  /** The end of a short time in which nothing is to be written; undefined when writes may go on. */
  pause(): Promise<void> | undefined
  /** Time between the first and the last commit in the log, in ms; 0 while it is unknown. */
  readonly spanMs: number
  /**
   * Empties the log if it is large, ours, and nothing was written since the last call; returns its size in
   * bytes.
   */
  trim(): Promise<number>
  /**
   * Ends what runs, and empties the log, if it is ours, before the connection is closed: SQLite does so only
   * when no other process has the database open.
   */
  finish(): Promise<void>
  /** Closes the files; call it after the connections were closed. */
  close(): void
}

interface LogOptions {
  checkpoints?: Checkpoints
  clock: Clock
  log: Log
  /** Called when a checkpoint could not be flushed. */
  onUnflushed?: (error: AppError) => void
}

/** Disables the checkpoints that SQLite makes in commits; the one of the last connection remains. */
export function disableCheckpoints(writer: FileConnection): void {
  writer.one('PRAGMA wal_autocheckpoint = 0')
}

/**
 * Takes the log of `writer` over from SQLite, which would flush each commit and copy the log into the
 * database on the event loop; see docs/decisions/0014-checkpoints-in-a-thread.md. An SQLite that cannot
 * report the end of the log keeps it.
 */
export function openWriteAheadLog(writer: FileConnection, options: LogOptions): WriteAheadLog {
  const { checkpoints = 'server', clock } = options
  const isOwn = checkpoints === 'server'
  const tail = openLogTail(writer)
  const care = tail && takeOver(writer, tail, options)
  if (!care) removeMark(writer.path)
  const window = isOwn ? undefined : createReplicatorWindow(clock, () => bytes() > MAX_LOG_BYTES)
  let isIdle = false
  const bytes = () => statSync(`${writer.path}-wal`, { throwIfNoEntry: false })?.size ?? 0

  /** Does not wait for readers; a later call tries again. */
  function empty(): void {
    writer.run('PRAGMA busy_timeout = 0')
    try {
      writer.one('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      writer.run('PRAGMA busy_timeout = 5000')
    }
  }

  /** A thread copies the log, so that little is left to do. */
  async function trimLarge(): Promise<void> {
    const isCopied = (await care?.checkpointer?.run()) ?? true
    if (isCopied && isIdle && !writer.inTransaction()) empty()
  }

  return {
    committed() {
      isIdle = false
      return care?.committed()
    },
    get flushing() {
      return care?.flush.running
    },
    pause: () => care?.checkpointer?.pause ?? window?.(),
    get spanMs() {
      return care?.mark.spanMs ?? 0
    },
    async trim() {
      care?.mark.flush()
      if (isOwn && bytes() > MAX_LOG_BYTES && isIdle) await trimLarge()
      isIdle = true
      return bytes()
    },
    async finish() {
      await care?.flush.running
      await care?.checkpointer?.close()
      if (isOwn && bytes() > 0) empty()
    },
    close() {
      care?.mark.close()
      tail?.close()
    },
  }
}

/** The parts that take care of a log instead of SQLite. */
function takeOver(writer: FileConnection, tail: LogTail, options: LogOptions) {
  const { checkpoints = 'server', clock, log, onUnflushed } = options
  disableCheckpoints(writer)
  // The log is written by SQLite and flushed by `flush`.
  writer.run('PRAGMA synchronous = NORMAL')
  const mark = openLogMark(writer.path, options)
  let last = tail.read()
  mark.record(last)
  mark.flush()
  const onFailed = (error: unknown) => {
    log.warn('a checkpoint failed', { error })
    if (isUnflushed(error)) onUnflushed?.(error)
  }
  const checkpointer =
    checkpoints === 'server' ? createCheckpointer(createCheckpointThread(writer.path), onFailed) : undefined

  const flush = createLogFlush(tail.file, {
    now: () => clock.monotonic(),
    isDiskBusy: () => checkpointer?.isRunning === true,
  })

  /** Frames since the last commit; more than there are if the log was started again meanwhile. */
  const framesUpTo = (position: LogPosition) =>
    position.salt === last?.salt ? position.frame - last.frame : position.frame

  function committed(): Promise<void> | undefined {
    const position = tail.read()
    // A group that has only read waits for what it has read.
    if (position === undefined || position === last) return flush.running
    const frames = framesUpTo(position)
    last = position
    const flushed = flush.flush(frames)
    checkpointer?.grown(position)
    if (flushed !== undefined) return flushed.then(() => mark.record(position))
    mark.record(position)
    return undefined
  }

  return { flush, mark, checkpointer, committed }
}
