import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError, DATABASE_KIND, whatFile } from '../../base/index.ts'
import { COLLECTIONS } from '../collections.ts'
import type { Connection } from '../engine/connection.ts'
import { createReadTx, type ReadTx } from '../records/tx.ts'
import { createPlans } from '../schema/plan.ts'
import { openConnection } from './connection.ts'
import { DATABASE_FILE } from './database-file.ts'
import { versionOf } from './version.ts'

/**
 * Runs `work` on a snapshot of the database at `path` (a file, or a folder with one), which may be a backup,
 * a copy or the file of a running server. Writes nothing next to it.
 * @throws AppError `not_found` (`no_database`), `invalid` (`not_a_database`), `conflict`
 *   (`database_other_version`) and `internal` (`database_damaged`).
 */
export function withSnapshot<T>(path: string, work: (tx: ReadTx) => T): T {
  const file = fileOf(path)
  if (!needsCopy(file)) return onConnection(file, path, work)
  const folder = mkdtempSync(join(tmpdir(), 'svc-recording-'))
  try {
    return onConnection(copyInto(folder, file), path, work)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function onConnection<T>(file: string, path: string, work: (tx: ReadTx) => T): T {
  const what = whatFile(file)
  // A database in a data folder is damaged when it has another beginning.
  if (file === path && what !== DATABASE_KIND) throw notADatabase(path, what)
  const connection = openConnection(file, 'read')
  try {
    assertSvcDatabase(connection, path)
    const { tx } = createReadTx(connection, { collections: COLLECTIONS, planOf: createPlans() }, 0)
    return connection.transaction('read', () => work(tx))
  } finally {
    connection.close()
  }
}

function fileOf(path: string): string {
  if (!existsSync(path)) {
    throw new AppError('not_found', `There is no file ${path}`, { reason: 'no_database' })
  }
  const file = statSync(path).isDirectory() ? join(path, DATABASE_FILE) : path
  if (existsSync(file)) return file
  throw new AppError('not_found', `There is no ${DATABASE_FILE} in ${path}`, { reason: 'no_database' })
}

/**
 * Position in the file header of the flag for a write-ahead log (https://sqlite.org/fileformat.html, 1.3).
 */
const WRITE_VERSION = { offset: 18, wal: 2 }

/** For such a file without a log, SQLite would create a log and its index next to it. */
function needsCopy(file: string): boolean {
  if (existsSync(`${file}-wal`) && existsSync(`${file}-shm`)) return false
  const header = Buffer.alloc(WRITE_VERSION.offset + 1)
  const handle = openSync(file, 'r')
  try {
    readSync(handle, header)
  } finally {
    closeSync(handle)
  }
  return header[WRITE_VERSION.offset] === WRITE_VERSION.wal
}

function copyInto(folder: string, file: string): string {
  const copy = join(folder, DATABASE_FILE)
  copyFileSync(file, copy)
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`)
  return copy
}

function assertSvcDatabase(connection: Connection, path: string): void {
  const version = versionOf(connection)
  if (version === 'same') return
  if (version === 'other') {
    throw notADatabase(path, whatFile(path))
  }
  const remedy =
    version === 'newer'
      ? 'use that version'
      : 'use that version, or restore it with svc restore into a folder of its own first'
  throw new AppError(
    'conflict',
    `${path} was written by ${version === 'newer' ? 'a newer' : 'an older'} version of svc; ${remedy}`,
    {
      reason: 'database_other_version',
    },
  )
}

function notADatabase(path: string, what: string): AppError {
  return new AppError('invalid', `${path} is not a database of svc, but ${what}`, {
    reason: 'not_a_database',
  })
}
