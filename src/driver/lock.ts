import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, FolderInUseError, type FolderLock, reasonOf, takeFolderLock } from '../base/index.ts'

/**
 * Locks the data dir `folder` against other drivers, with the file `driver.lock`. Keep a reference to the
 * result.
 * @throws AppError `conflict` when another driver uses the folder, `unavailable` when it cannot be locked.
 */
export function lockFolder(folder: string): FolderLock {
  try {
    return takeFolderLock(join(folder, 'driver.lock'), { storesPid: false })
  } catch (cause) {
    if (cause instanceof FolderInUseError) {
      throw new AppError(
        'conflict',
        `data dir ${folder} is in use by another driver; give each driver its own --data-dir`,
        { cause },
      )
    }
    throw new AppError('unavailable', `data dir ${folder} cannot be locked: ${reasonOf(cause)}`, { cause })
  }
}

/**
 * Creates the data dir, which only its owner can read.
 * @throws AppError `unavailable` when it cannot be created.
 */
export async function makeDataDir(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AppError('unavailable', `data dir ${path} cannot be created: ${reasonOf(cause)}`, { cause })
  }
}
