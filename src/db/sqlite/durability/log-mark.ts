import {
  close,
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { type Clock, flush, type Log } from '../../../base/index.ts'
import { markOf, readMark } from './log-check.ts'
import type { LogPosition } from './log-file.ts'
import { createMarkEncoder, encodeNoMark, MARK_BYTES } from './mark-file.ts'

/** Remembers outside the log up to where the log goes; see docs/decisions/0012-log-mark.md. */
interface LogMark {
  /** Time between the first and the last commit in the log, in ms; 0 while it is unknown. */
  readonly spanMs: number
  /**
   * Records the last commit that is on disk; undefined while the log has none. Never throws: an older mark is
   * still true.
   */
  record(position: LogPosition | undefined): void
  /** Starts to flush the mark to disk, without waiting for it. */
  flush(): void
  /** Closes the file, which stays. */
  close(): void
}

/**
 * The mark of the database at `path`. The file keeps its length, so that it can be written while the disk is
 * full. If it cannot be created, there is no mark.
 */
export function openLogMark(path: string, { clock, log }: { clock: Clock; log: Log }): LogMark {
  const name = markOf(path)
  const encode = createMarkEncoder()
  let last = readMark(path)
  let file: number | undefined
  let isFailing = false
  let isFlushed = true

  function opened(): number {
    if (!existsSync(name)) create(name)
    return openSync(name, 'r+')
  }

  function write(position: LogPosition | undefined): void {
    file ??= opened()
    if (!position) return
    const at = clock.now()
    const since = last !== 'damaged' && last?.salt === position.salt ? last.since : at
    last = { ...position, since, at }
    writeSync(file, encode(last), 0, MARK_BYTES, 0)
    isFlushed = false
  }

  return {
    get spanMs() {
      return last === undefined || last === 'damaged' ? 0 : Math.max(0, last.at - last.since)
    },
    record(position) {
      try {
        write(position)
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn('the mark of the log cannot be written', { file: name, error })
        isFailing = true
      }
    },
    flush() {
      if (file === undefined || isFlushed) return
      isFlushed = true
      fdatasync(file, () => undefined)
    },
    close() {
      if (file !== undefined) close(file, () => undefined)
      file = undefined
    },
  }
}

/** Removes the mark of the database at `path`: without updates, it would soon claim what is no longer so. */
export function removeMark(path: string): void {
  rmSync(markOf(path), { force: true })
}

/**
 * Removes the mark of the database at `path` after its connections were closed, if the last of them has put
 * the whole log into the database and removed it.
 */
export function removeMarkOfGoneLog(path: string): void {
  const isLogGone = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0
  if (isLogGone) removeMark(path)
}

/** On disk before the first commit, so that later marks need no new space. */
function create(path: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, encodeNoMark())
    fsyncSync(file)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  flush(dirname(path))
}
