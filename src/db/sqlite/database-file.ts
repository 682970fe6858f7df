import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../base/index.ts'

/** Name of the database file in its folder. */
export const DATABASE_FILE = 'svc.db'

/** Name of the journal of a restore that is under way; the next process that may write finishes it. */
export const REPLACEMENT_FILE = 'svc.replacement'

/** Name of the folder in it for backups with automatic names. */
export const BACKUP_FOLDER = 'backups'

/**
 * The path of the database in `dir`.
 * @throws AppError `not_found` (`no_database`); `internal` (`database_unreadable`) when this account lacks
 *   permission.
 */
export function existingDatabase(dir: string): string {
  const path = join(dir, DATABASE_FILE)
  try {
    statSync(path)
    accessSync(path, constants.R_OK)
    return path
  } catch (cause) {
    throw codeOf(cause) === 'EACCES' ? unreadable(path, cause) : missing(dir, cause)
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

function missing(dir: string, cause: unknown): AppError {
  if (existsSync(join(dir, REPLACEMENT_FILE))) {
    return new AppError(
      'not_found',
      `A restore of the database in ${dir} was interrupted; svc serve or svc doctor finishes it`,
      { reason: 'no_database', cause },
    )
  }
  return new AppError('not_found', `There is no database in ${dir}; name its folder with --dir`, {
    reason: 'no_database',
    cause,
  })
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError(
    'internal',
    `The account that runs this (uid ${process.getuid?.()}) may not read ${path}; run it as the owner of the folder`,
    { reason: 'database_unreadable', cause },
  )
}
