import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { AppError, flush, toTimestamp } from '../../../base/index.ts'
import { isEqual, isFreshCopy, isInDatabase, type LogState, readLog } from './log-file.ts'
import { decodeMark, type Mark } from './mark-file.ts'

/** A log that does not hold what was acknowledged. */
export interface LogLoss {
  /** What is wrong with the log, such as `is missing`. */
  detail: string
  /** The time from which and up to which changes may be lost; undefined when the mark is damaged too. */
  since: string | undefined
  until: string | undefined
}

/** The path of the mark of the database at `path`. */
export function markOf(path: string): string {
  return `${path}-mark`
}

/**
 * Compares the log of the database at `path` with the mark that a server left which was not stopped, before
 * SQLite opens either: it takes a log that is missing or damaged for one that has ended. Changes nothing.
 * Returns undefined when the last commit of the mark is in the log or in the database, or was followed by a
 * newer log, when there is no mark, and when the database is a copy that was put in the place of the old one.
 */
function findLogLoss(path: string): LogLoss | undefined {
  const mark = readMark(path)
  if (mark === undefined || isFreshCopy(path)) return undefined
  const log = readLog(`${path}-wal`, mark === 'damaged' ? 0 : mark.frame)
  if (mark === 'damaged') {
    const isWhole = log.kind === 'log'
    return isWhole ? undefined : { detail: textOf(log, 0), since: undefined, until: undefined }
  }
  if (isInLog(mark, log) || isInDatabase(path, mark)) return undefined
  return { detail: textOf(log, mark.frame), since: toTimestamp(mark.since), until: toTimestamp(mark.at) }
}

/** The mark of the database at `path`; undefined when it has none or when its log had no commits. */
export function readMark(path: string): Mark | undefined | 'damaged' {
  const file = markOf(path)
  return existsSync(file) ? decodeMark(readFileSync(file)) : undefined
}

/** SQLite starts a log again only when all of it is in the database. */
function isInLog({ salt, frame, checksum }: Mark, log: LogState): boolean {
  if (log.kind !== 'log') return false
  return log.salt !== salt || (log.frames === frame && isEqual(log.checksum, checksum))
}

function textOf(log: LogState, expected: number): string {
  switch (log.kind) {
    case 'missing':
      return 'is missing'
    case 'empty':
      return 'is empty'
    case 'headless':
      return 'has no valid header'
    case 'log':
      return `is intact only up to page ${log.frames} of at least ${expected}`
  }
}

/** @throws AppError `internal`, reason `log_lost`, for a log that does not hold what was acknowledged. */
export function assertLogWhole(path: string): void {
  const loss = findLogLoss(path)
  if (loss) throw logLost(path, loss)
}

function logLost(path: string, { detail, since, until }: LogLoss): AppError {
  const what =
    since === undefined || until === undefined
      ? 'changes acknowledged before the server ended may be lost'
      : `changes acknowledged from ${since} to ${until} may be lost`
  return new AppError(
    'internal',
    `The server was not stopped, and the log ${path}-wal ${detail}: ${what}; put the log back, restore a backup (svc restore BACKUP), or accept the loss: svc doctor --accept-loss`,
    { reason: 'log_lost' },
  )
}

/**
 * Makes the next `assertLogWhole` pass: copies a damaged log of the database at `path` to a second name and
 * removes the mark. Returns what may be lost; undefined when nothing is, and then changes nothing.
 */
export function acceptLogLoss(path: string): LogLoss | undefined {
  const loss = findLogLoss(path)
  if (!loss) return undefined
  const log = `${path}-wal`
  if (existsSync(log)) {
    copyFileSync(log, `${log}.before-loss`)
    flush(`${log}.before-loss`)
  }
  rmSync(markOf(path), { force: true })
  return loss
}
