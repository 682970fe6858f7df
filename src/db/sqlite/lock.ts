import { SQLiteError, Database as Sqlite } from 'bun:sqlite'
import { join } from 'node:path'
import { AppError, messageOf } from '../../base/index.ts'
import { appErrorOf } from './connection.ts'

const LOCK_TIMEOUT_MS = 250

/** The exclusive right of one process to use a data folder. */
export interface FolderLock {
  /** Releases the lock; safe to call twice. */
  release(): void
}

/**
 * Locks `dir/svc.lock` for the lifetime of the process. The lock is SQLite's RESERVED lock on a small
 * database: the operating system releases it with the process, however that ends, and other processes can
 * still read the PID in it. Keep a reference to the result: garbage collection of the lock would close its
 * file.
 * @throws AppError `conflict`, reason `folder_in_use`, naming the process that holds the lock; `internal`,
 *   reason `folder_unusable`, when no lock is possible.
 */
export function lockFolder(dir: string): FolderLock {
  const file = openLockFile(dir)
  try {
    // Processes that start at the same time run one after another within this time-out; the last one to write
    // its PID wins.
    file.run(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}`)
    file.run('BEGIN IMMEDIATE')
    file.run('CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL) STRICT')
    file.run('DELETE FROM holder')
    file.query<null, { pid: number }>('INSERT INTO holder (pid) VALUES ($pid)').run({ pid: process.pid })
    file.run('COMMIT')
    // Another process may have locked the folder between the two transactions.
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
    // The holder is writing its PID at this moment.
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
