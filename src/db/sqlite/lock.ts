import { SQLiteError } from 'bun:sqlite'
import { join } from 'node:path'
import { AppError, FolderInUseError, type FolderLock, reasonOf, takeFolderLock } from '../../base/index.ts'
import { appErrorOf } from './connection.ts'

/**
 * Locks the data folder `dir` by `svc.lock` in it for the lifetime of the process. Keep a reference to the
 * result.
 * @throws AppError `conflict`, reason `folder_in_use`, naming the process that holds the lock; `internal`,
 *   reason `folder_unusable`, when no lock is possible.
 */
export function lockFolder(dir: string): FolderLock {
  const file = join(dir, 'svc.lock')
  try {
    return takeFolderLock(file, { storesPid: true })
  } catch (error) {
    throw error instanceof FolderInUseError ? inUse(dir, error.pid) : unusable(dir, error)
  }
}

function unusable(dir: string, cause: unknown): AppError {
  const known = cause instanceof SQLiteError ? appErrorOf(join(dir, 'svc.lock'), cause) : undefined
  if (known?.code === 'storage_full') return known
  return new AppError(
    'internal',
    `Cannot lock the data folder ${dir} (${reasonOf(cause)}); check its owner and permissions, then remove svc.lock in it`,
    { reason: 'folder_unusable', cause },
  )
}

function inUse(dir: string, pid: number | undefined): AppError {
  const who = pid === undefined ? 'another process' : `process ${pid}`
  return new AppError(
    'conflict',
    `The data folder ${dir} is in use by ${who}; stop it or choose another folder with --dir`,
    { reason: 'folder_in_use' },
  )
}
