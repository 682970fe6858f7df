import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { AppError, messageOf } from '../base/index.ts'

/** A folder that only this driver uses. */
export interface FolderLock {
  release(): void
}

/**
 * Keeps other drivers out of a data dir until `release`, or until this process ends in whatever way. The lock is
 * SQLite's on an empty file, because that is the one file lock the runtime offers on every platform; unlike a file
 * with a process number it cannot be left behind.
 * @throws AppError `conflict` when another driver holds the folder, `unavailable` when it cannot be written.
 */
export function lockFolder(folder: string): FolderLock {
  const path = join(folder, 'driver.lock')
  let database: Database | undefined
  try {
    database = new Database(path, { create: true })
    database.run('PRAGMA busy_timeout = 0')
    // Nothing is ever written: no journal file beside the lock.
    database.run('PRAGMA journal_mode = MEMORY')
    database.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    database?.close()
    if (cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_BUSY') {
      throw new AppError(
        'conflict',
        `data dir ${folder} is in use by another driver; give each driver its own --data-dir`,
        { cause },
      )
    }
    throw new AppError('unavailable', `data dir ${folder} cannot be locked: ${messageOf(cause)}`, { cause })
  }
  const held = database
  return { release: () => held.close() }
}
