import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileSizes } from '../engine/engine.ts'
import type { FileConnection } from './connection.ts'

/** Reads the sizes of the database of `reader`, its log and its disk. */
export function readFileSizes(reader: FileConnection): FileSizes {
  const { bavail, bsize } = statfsSync(dirname(reader.path))
  const file = reader.one<{ bytes: number }>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
  )
  const log = statSync(`${reader.path}-wal`, { throwIfNoEntry: false })
  return { databaseBytes: file?.bytes ?? 0, logBytes: log?.size ?? 0, freeBytes: bavail * bsize }
}
