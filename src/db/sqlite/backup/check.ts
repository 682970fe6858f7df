import { statSync } from 'node:fs'
import { AppError, DATABASE_KIND, messageOf, whatFile } from '../../../base/index.ts'
import { type Connection, readerAt } from '../../engine/connection.ts'
import type { Finding } from '../../integrity/invariants.ts'
import { openConnection } from '../connection.ts'
import { diagnose, diagnoseFile } from '../diagnose.ts'
import { versionOf } from '../version.ts'

/** The maximum number of attempts is a setting, which a backup does not contain. */
export const ANY_LIMITS = { maxAttempts: 0 }

/** The result of checking a backup. */
export interface BackupReport {
  /** Invariants that its data violate; empty when it is intact. */
  findings: Finding[]
  /**
   * Written by an older version: only its file and foreign keys were checked; the rest is checked when it is
   * restored.
   */
  isOlder: boolean
}

/**
 * Reads and checks a whole backup.
 * @throws AppError `not_found` (`no_backup`), `invalid` (`not_a_backup`), `internal` (`database_damaged`,
 *   `database_newer`).
 */
export function checkBackup(path: string): BackupReport {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new AppError('not_found', `There is no file ${path}`, { reason: 'no_backup' })
  if (!stats.isFile()) {
    const what = stats.isDirectory() ? 'a folder' : 'no regular file'
    throw new AppError('invalid', `${path} is ${what}; name the file of a backup`, { reason: 'not_a_backup' })
  }
  return reading(path, (connection) => {
    const version = versionOf(connection)
    if (version === 'other') {
      throw notABackup(path, whatFile(path))
    }
    if (version === 'newer') {
      throw new AppError(
        'internal',
        `The backup ${path} was written by a newer version of svc; restore it with that version`,
        { reason: 'database_newer' },
      )
    }
    const reader = readerAt(connection, 0)
    const isOlder = version === 'older'
    const findings = isOlder ? diagnoseFile(reader) : diagnose(reader, ANY_LIMITS)
    const broken = findings.find(({ id }) => id === 'file')
    if (broken) throw damaged(path, JSON.stringify(broken.rows[0]))
    return { findings, isOlder }
  })
}

function reading<T>(path: string, work: (connection: Connection) => T): T {
  let connection: Connection | undefined
  try {
    connection = openConnection(path, 'read')
    return work(connection)
  } catch (error) {
    if (error instanceof AppError && error.reason === 'database_damaged') {
      const what = whatFile(path)
      if (what !== DATABASE_KIND) throw notABackup(path, what)
      throw damaged(path, error.cause === undefined ? messageOf(error) : messageOf(error.cause))
    }
    throw error
  } finally {
    connection?.close()
  }
}

function notABackup(path: string, what: string): AppError {
  return new AppError('invalid', `${path} is not a backup of svc, but ${what}`, { reason: 'not_a_backup' })
}

function damaged(path: string, detail: string): AppError {
  return new AppError('internal', `The backup ${path} is damaged (${detail}); use another one`, {
    reason: 'database_damaged',
  })
}
