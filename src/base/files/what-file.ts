import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf } from '../error.ts'
import { whatContent } from '../portable/what-content.ts'

/** Enough to tell the kinds of files apart. */
const HEAD_BYTES = 4096

/**
 * What a file is, for the error of a command that needs another one: `an OpenQASM program`, `a folder`.
 * @throws Error of the file system, also for one that does not exist.
 */
export function whatFile(path: string): string {
  const stats = statSync(path)
  if (stats.isDirectory()) return 'a folder'
  if (!stats.isFile()) return 'a device or socket'
  const head = Buffer.alloc(HEAD_BYTES)
  const file = openSync(path, 'r')
  try {
    return whatContent(head.subarray(0, readSync(file, head)), stats.size)
  } finally {
    closeSync(file)
  }
}

/** Why a file could not be written, in a sentence that names it. */
export function whyUnwritable(path: string, cause: unknown): string {
  const folder = dirname(path)
  return existsSync(folder) ? reasonOf(cause) : `there is no folder ${folder}; create it first`
}
