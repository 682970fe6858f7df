import { closeSync, openSync } from 'node:fs'
import type { FileConnection } from '../connection.ts'
import { isEqual, type LogPosition, openPositions } from './log-file.ts'

/** The end of the write-ahead log that a connection writes. */
export interface LogTail {
  /** The log, open for reading. */
  readonly file: number
  /** The place of the last commit, the same object until the next one; undefined for a log without any. */
  read(): LogPosition | undefined
  close(): void
}

/** The first version with a checkpoint that only reports; older versions would run a checkpoint. */
const FIRST_WITH_NOOP = [3, 51] as const
const REPORT = 'PRAGMA wal_checkpoint(NOOP)'

/** The end of the log of `writer`; undefined when its SQLite cannot report it. */
export function openLogTail(writer: FileConnection): LogTail | undefined {
  if (!canReport(writer)) return undefined
  const pageSize = writer.one<{ page_size: number }>('PRAGMA page_size')?.page_size ?? 0
  const file = openSync(`${writer.path}-wal`, 'r')
  const positionAt = openPositions(file, pageSize)
  let last: LogPosition | undefined
  return {
    file,
    read() {
      const frame = writer.one<{ log: number }>(REPORT)?.log ?? 0
      const position = frame > 0 ? positionAt(frame) : undefined
      if (!position || !last || !isSame(position, last)) last = position
      return last
    },
    close: () => closeSync(file),
  }
}

function isSame(one: LogPosition, other: LogPosition): boolean {
  return one.frame === other.frame && one.salt === other.salt && isEqual(one.checksum, other.checksum)
}

function canReport(connection: FileConnection): boolean {
  const version = connection.one<{ version: string }>('SELECT sqlite_version() AS version')?.version ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [firstMajor, firstMinor] = FIRST_WITH_NOOP
  return major > firstMajor || (major === firstMajor && minor >= firstMinor)
}
