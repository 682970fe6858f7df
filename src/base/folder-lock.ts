import { Database, SQLiteError } from 'bun:sqlite'
import { createPrivateFile, createSharedFile } from './files/private-files.ts'

/** The right to be the only process that uses a folder. */
export interface FolderLock {
  /** Releases the lock; safe to call twice. */
  release(): void
}

/** Thrown when another holder has the lock; `pid` is its process number where it is known. */
export class FolderInUseError extends Error {
  readonly pid: number | undefined

  constructor(file: string, pid: number | undefined) {
    super(`${file} is locked by ${pid === undefined ? 'another process' : `process ${pid}`}`)
    this.pid = pid
  }
}

interface FolderLockOptions {
  /** Whether processes of other users may take the lock too. */
  isShared?: boolean
  /** Stores the process number of the holder in the file for the error of others, unless the disk is full. */
  storesPid: boolean
  /** How long to wait, blocking the thread, for processes that hold it for an instant; 250 ms when absent. */
  waitMs?: number
}

/** Processes that start together store their numbers one after another within this time. */
const TURN_TIMEOUT_MS = 250

/**
 * Locks a folder by `file` in it, until `release` or until this process ends in whatever way. The lock is
 * SQLite's RESERVED lock: the one file lock that the runtime offers on every platform. The operating system
 * releases it with the process, so unlike a file with a process number it cannot be left behind, and other
 * processes can still read the file. Keep a reference to the result: a lock that is garbage-collected is
 * released.
 * @throws FolderInUseError when another holder has it, in this process or in another one.
 * @throws SQLiteError when the file cannot be opened or written.
 */
export function takeFolderLock(
  file: string,
  { storesPid, isShared = false, waitMs = TURN_TIMEOUT_MS }: FolderLockOptions,
): FolderLock {
  if (isShared) createSharedFile(file)
  else createPrivateFile(file)
  // In a folder such as /tmp, Linux does not let a process "create" a file that another user owns.
  const database = new Database(file, {
    strict: true,
    ...(isShared ? { readwrite: true } : { create: true }),
  })
  try {
    database.run(`PRAGMA busy_timeout = ${waitMs}`)
    const isStored = storesPid && storePid(database)
    // The transaction that holds the lock writes nothing: there is no journal file next to it.
    database.run('PRAGMA journal_mode = MEMORY')
    database.run('BEGIN IMMEDIATE')
    // Another process may have stored its number since: the last one has the folder.
    if (isStored && holderOf(database) !== process.pid) throw new FolderInUseError(file, holderOf(database))
  } catch (error) {
    const isBusy = error instanceof SQLiteError && (error.code ?? '').startsWith('SQLITE_BUSY')
    const failure = isBusy ? new FolderInUseError(file, holderOf(database)) : error
    database.close()
    throw failure
  }
  let isHeld = true
  return {
    release() {
      if (!isHeld) return
      isHeld = false
      database.run('ROLLBACK')
      database.close()
    },
  }
}

/** Returns false when the disk is full: the lock itself needs no space. */
function storePid(database: Database): boolean {
  database.run('BEGIN IMMEDIATE')
  try {
    database.run('CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL) STRICT')
    database.run('DELETE FROM holder')
    database.query<null, { pid: number }>('INSERT INTO holder (pid) VALUES ($pid)').run({ pid: process.pid })
    database.run('COMMIT')
    return true
  } catch (error) {
    if (database.inTransaction) database.run('ROLLBACK')
    if (error instanceof SQLiteError && error.code === 'SQLITE_FULL') return false
    throw error
  }
}

/** Undefined when no number is stored, or while the holder is storing it. */
function holderOf(database: Database): number | undefined {
  try {
    return database.query<{ pid: number }, []>('SELECT pid FROM holder').get()?.pid
  } catch {
    return undefined
  }
}
