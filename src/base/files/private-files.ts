import { chmodSync, closeSync, fchmodSync, lstatSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, messageOf, reasonOf } from '../error.ts'
import type { Log } from '../log.ts'

const OTHERS = 0o077
/** The bit that folders such as /tmp have. */
const STICKY = 0o1000
const FILE_MODE = 0o600
const SHARED_FILE_MODE = 0o666
const FOLDER_MODE = 0o700

/** Creates an empty file for its owner only, whatever the umask; does nothing when the file exists. */
export function createPrivateFile(path: string): void {
  createFile(path, FILE_MODE)
}

/** Creates an empty file that every user may write, whatever the umask; does nothing when the file exists. */
export function createSharedFile(path: string): void {
  createFile(path, SHARED_FILE_MODE)
}

function createFile(path: string, mode: number): void {
  try {
    const file = openSync(path, 'wx', mode)
    fchmodSync(file, mode)
    closeSync(file)
  } catch (error) {
    // The caller opens it next and reports what is wrong.
    if (error instanceof Error && 'code' in error) return
    throw error
  }
}

/**
 * Removes the permissions that group and others have on a file or folder, and logs that. Does nothing for a
 * path that does not exist, for symbolic links, and on Windows, where the mode has no meaning.
 * @throws AppError `internal`, reason `folder_unusable`, with the command that does it, and for folders that
 *   are meant for all users.
 */
export function makePrivate(path: string, log: Log): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat || stat.isSymbolicLink() || process.platform === 'win32') return
  const isOpen = (mode: number) => (mode & OTHERS) !== 0
  if (!isOpen(stat.mode)) return
  if ((stat.mode & STICKY) !== 0) {
    throw new AppError('internal', `${path} is a folder that all users share; name a folder of its own`, {
      reason: 'folder_unusable',
    })
  }
  const mode = stat.isDirectory() ? FOLDER_MODE : FILE_MODE
  const [before, after] = [octal(stat.mode), octal(mode)]
  let problem = 'its file system keeps no permissions'
  try {
    chmodSync(path, mode)
  } catch (error) {
    problem = messageOf(error)
  }
  if (isOpen(lstatSync(path).mode)) {
    throw new AppError(
      'internal',
      `Other users may access ${path} (mode ${before}), and that cannot be changed (${problem}); run as its owner: chmod ${after} ${path}`,
      { reason: 'folder_unusable' },
    )
  }
  log.warn('permissions tightened: other users had access', { path, before, after })
}

/**
 * `makePrivate` for a folder and for those of its entries that `isSecret` selects by name.
 * @throws AppError as `makePrivate`; `internal` (`folder_unusable`) when the folder cannot be read.
 */
export function makeFolderPrivate(path: string, log: Log, isSecret: (name: string) => boolean): void {
  makePrivate(path, log)
  for (const name of namesIn(path).filter(isSecret)) makePrivate(join(path, name), log)
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (cause) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return []
    throw new AppError('internal', `Cannot read the folder ${path}: ${reasonOf(cause)}`, {
      reason: 'folder_unusable',
      cause,
    })
  }
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0')
}
