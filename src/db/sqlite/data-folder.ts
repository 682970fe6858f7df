import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, type FolderLock, type Log, makeFolderPrivate, reasonOf } from '../../base/index.ts'
import { BACKUP_FOLDER, existingDatabase } from './database-file.ts'
import { readReplacement } from './durability/replacement.ts'
import { lockFolder } from './lock.ts'

interface DataFolder {
  dir: string
  /** False rejects a folder without a database instead of creating one. */
  create?: boolean
  log: Log
}

/**
 * Creates the data folder if it is missing, makes its files private, and locks it for this process.
 * @throws AppError `conflict` (`folder_in_use`), `internal` (`folder_unusable`).
 */
export function lockDataFolder(folder: DataFolder): FolderLock {
  makeFolder(folder)
  makeDataPrivate(folder)
  return lockFolder(folder.dir)
}

function makeFolder({ dir, create = true }: DataFolder): void {
  if (!create && readReplacement(dir) === undefined) existingDatabase(dir)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AppError('internal', `Cannot create the data folder ${dir}: ${reasonOf(cause)}`, {
      reason: 'folder_unusable',
      cause,
    })
  }
}

/** All names begin with `svc.`: the database, its log, index and mark, its earlier versions and the lock. */
function makeDataPrivate({ dir, log }: DataFolder): void {
  makeFolderPrivate(dir, log, (name) => name.startsWith('svc.') || name === BACKUP_FOLDER)
  makeFolderPrivate(join(dir, BACKUP_FOLDER), log, () => true)
}
