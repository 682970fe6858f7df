import { SQLiteError, Database as Sqlite } from 'bun:sqlite'
import { join } from 'node:path'
import { AppError, messageOf } from '../../base/index.ts'
import { appErrorOf } from './connection.ts'

const LOCK_TIMEOUT_MS = 250

/** The right to be the only process that uses a data folder. */
export interface FolderLock {
  /** Gives the folder free; safe to call twice. */
  release(): void
}

/**
 * Takes `dir/svc.lock` for the life of the process. The lock is SQLite's RESERVED lock on a small database:
 * the operating system drops it with the process, however that ends, and others can still read the pid in it.
 * Keep the result: a lock that nobody refers to is collected, and its file closed.
 * @throws AppError `conflict`, reason `folder_in_use`, naming the process that has it; `internal`, reason
 *   `folder_unusable`, when there can be no lock.
 */
export function lockFolder(dir: string): FolderLock {
  const file = openLockFile(dir)
  try {
    // Processes that start together pass each other within this time: the last to write its pid wins.
    file.run(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}`)
    file.run('BEGIN IMMEDIATE')
    file.run('CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL) STRICT')
    file.run('DELETE FROM holder')
    file.query<null, { pid: number }>('INSERT INTO holder (pid) VALUES ($pid)').run({ pid: process.pid })
    file.run('COMMIT')
    // Between the two another process may have stepped in; then this one has not got the folder.
    file.run('BEGIN IMMEDIATE')
    if (holderOf(file) !== process.pid) throw inUse(dir, holderOf(file))
  } catch (error) {
    const busy = error instanceof SQLiteError && (error.code ?? '').startsWith('SQLITE_BUSY')
    const failure = busy ? inUse(dir, holderOf(file)) : error
    file.close()
    throw failure instanceof SQLiteError ? unusable(dir, failure) : failure
  }
  let held = true
  return {
    release() {
      if (!held) return
      held = false
      file.run('ROLLBACK')
      file.close()
    },
  }
}

function openLockFile(dir: string): Sqlite {
  try {
    return new Sqlite(join(dir, 'svc.lock'), { strict: true, create: true })
  } catch (error) {
    throw unusable(dir, error)
  }
}

function unusable(dir: string, cause: unknown): AppError {
  const known = cause instanceof SQLiteError ? appErrorOf(join(dir, 'svc.lock'), cause) : undefined
  if (known?.code === 'storage_full') return known
  return new AppError(
    'internal',
    `Cannot lock the data folder ${dir} (${messageOf(cause)}); check its owner and permissions, then remove svc.lock in it`,
    { reason: 'folder_unusable', cause },
  )
}

function holderOf(file: Sqlite): number | undefined {
  try {
    return file.query<{ pid: number }, []>('SELECT pid FROM holder').get()?.pid
  } catch {
    // The holder is writing its pid just now.
    return undefined
  }
}

function inUse(dir: string, pid: number | undefined): AppError {
  const who = pid === undefined ? 'another process' : `process ${pid}`
  return new AppError(
    'conflict',
    `The data folder ${dir} is in use by ${who}; stop it or choose another folder with --dir`,
    { reason: 'folder_in_use' },
  )
}
