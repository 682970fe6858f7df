import { feature } from 'bun:bundle'
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, failpoint, flush, systemClock, whyUnwritable } from '../../../base/index.ts'
import { openConnection } from '../connection.ts'
import { existingDatabase } from '../database-file.ts'
import { flushInPieces } from '../flush-in-pieces.ts'
import { type BackupReport, checkBackup } from './check.ts'

/**
 * Writes a snapshot of the database in `dir` to the new file `target`, even while a server uses the database,
 * and checks the copy. A file with this name is complete, checked and flushed, and only its owner can read
 * it. `onStage` is a progress callback, called before each phase.
 * @throws AppError `not_found` (`no_database`), `conflict` (`file_exists`), `storage_full`, `internal`
 *   (`database_damaged`, `database_newer`, `database_unreadable`, `folder_unusable`).
 */
export async function writeBackup(
  dir: string,
  target: string,
  onStage: (text: string) => void = () => undefined,
): Promise<BackupReport> {
  const source = existingDatabase(dir)
  if (existsSync(target)) {
    throw new AppError('conflict', `${target} exists; choose another name`, { reason: 'file_exists' })
  }
  const partial = partialOf(target, process.pid)
  try {
    makeEmpty(partial, target)
    onStage(`copying ${megabytes(source)} MB`)
    copyInto(source, partial)
    if (feature('FAILPOINTS')) failpoint('backup.copied')
    onStage(`checking the copy of ${megabytes(partial)} MB`)
    const report = checkBackup(partial)
    onStage('writing the copy to the disk')
    await flushInPieces(partial, systemClock)
    if (feature('FAILPOINTS')) failpoint('backup.checked')
    renameSync(partial, target)
    if (feature('FAILPOINTS')) failpoint('backup.renamed')
    flush(dirname(target))
    return report
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

/** The file that process `pid` writes before the backup gets its name `target`. */
export function partialOf(target: string, pid: number): string {
  return `${target}.${pid}.partial`
}

/** SQLite writes into the empty file, so that its mode is right from the first byte. */
function makeEmpty(path: string, target: string): void {
  try {
    rmSync(path, { force: true })
    closeSync(openSync(path, 'wx', 0o600))
  } catch (cause) {
    throw new AppError('internal', `Cannot write ${target}: ${whyUnwritable(target, cause)}`, {
      reason: 'folder_unusable',
      cause,
    })
  }
}

function megabytes(path: string): string {
  return (statSync(path).size / 1_000_000).toFixed(1)
}

function copyInto(source: string, target: string): void {
  const connection = openConnection(source, 'read')
  try {
    // Applies to the copy too, which is flushed later, in pieces.
    connection.run('PRAGMA synchronous = OFF')
    connection.run('VACUUM INTO $target', { target })
  } finally {
    connection.close()
  }
}
