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
import type { Clock, Log } from '../../base/index.ts'
import type { Connection } from '../sqlite/connection.ts'
import { flush as syncFolder } from '../sqlite/flush.ts'
import { markOf, readMark } from './log-check.ts'
import { positionOf } from './log-file.ts'
import { encodeMark, MARK_BYTES } from './mark-file.ts'

/** Remembers outside the log up to where the log goes; see docs/decisions/0012-log-mark.md. */
export interface LogMark {
  /** Time between the first and the last commit in the log, in ms; 0 while it is unknown. */
  readonly spanMs: number
  /** Records the commit that has just been flushed. Never throws: an older mark is still true. */
  record(): void
  /** Starts to flush the mark to disk, without waiting for it. */
  flush(): void
  /** Closes the file, which stays. */
  close(): void
}

/** The first version with a checkpoint that only reports. */
const FIRST_WITH_NOOP = [3, 51] as const

/**
 * The mark of the database that `writer` has open. The file keeps its length, so that it can be written while
 * the disk is full. If it cannot be created, there is no mark.
 */
export function openLogMark(writer: Connection, { clock, log }: { clock: Clock; log: Log }): LogMark {
  const path = markOf(writer.path)
  const logPath = `${writer.path}-wal`
  const pageSize = writer.one<{ page_size: number }>('PRAGMA page_size')?.page_size ?? 0
  const isSupported = canReport(writer)
  let last = readMark(writer.path)
  let files: { mark: number; log: number } | undefined
  let isFailing = false
  let isFlushed = true

  function opened(): { mark: number; log: number } {
    if (!existsSync(path)) create(path)
    const log = openSync(logPath, 'r')
    try {
      return { mark: openSync(path, 'r+'), log }
    } catch (error) {
      closeSync(log)
      throw error
    }
  }

  function write(): void {
    if (!isSupported) return
    files ??= opened()
    const frame = writer.one<{ log: number }>(REPORT)?.log ?? 0
    const position = frame > 0 ? positionOf(files.log, frame, pageSize) : undefined
    if (!position) return
    const at = clock.now()
    const since = last !== 'damaged' && last?.salt === position.salt ? last.since : at
    last = { ...position, since, at }
    writeSync(files.mark, encodeMark(last), 0, MARK_BYTES, 0)
    isFlushed = false
  }

  const mark: LogMark = {
    get spanMs() {
      return last === undefined || last === 'damaged' ? 0 : Math.max(0, last.at - last.since)
    },
    record() {
      try {
        write()
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn('the mark of the log cannot be written', { file: path, error })
        isFailing = true
      }
    },
    flush() {
      if (!files || isFlushed) return
      isFlushed = true
      fdatasync(files.mark, () => undefined)
    },
    close() {
      if (files) {
        close(files.mark, () => undefined)
        closeSync(files.log)
      }
      files = undefined
    },
  }
  // Without updates, it would soon claim what is no longer so.
  if (!isSupported) rmSync(path, { force: true })
  mark.record()
  mark.flush()
  return mark
}

/**
 * Removes the mark of the database at `path` after its connections were closed, if the last of them has put
 * the whole log into the database and removed it.
 */
export function removeMarkOfGoneLog(path: string): void {
  const isLogGone = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0
  if (isLogGone) rmSync(markOf(path), { force: true })
}

/** On disk before the first commit, so that later marks need no new space. */
function create(path: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, encodeMark(undefined))
    fsyncSync(file)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  syncFolder(dirname(path))
}

const REPORT = 'PRAGMA wal_checkpoint(NOOP)'

/** Older versions would run a checkpoint. */
function canReport(connection: Connection): boolean {
  const version = connection.one<{ version: string }>('SELECT sqlite_version() AS version')?.version ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [firstMajor, firstMinor] = FIRST_WITH_NOOP
  return major > firstMajor || (major === firstMajor && minor >= firstMinor)
}
