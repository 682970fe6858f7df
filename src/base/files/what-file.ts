import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf } from '../error.ts'

/** Enough to tell the kinds of files apart. */
const HEAD_BYTES = 4096

/** What `whatFile` says of a SQLite database. */
export const DATABASE_KIND = 'a SQLite database'

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

/** The same of a content, by its first bytes and its length in bytes. */
export function whatContent(head: Uint8Array, size = head.length): string {
  if (size === 0) return 'empty'
  if (Buffer.from(head).toString('latin1', 0, 16) === 'SQLite format 3\0') return DATABASE_KIND
  const text = textOf(head)
  if (text === undefined || text.includes('\0')) return `binary data of ${size} byte${size === 1 ? '' : 's'}`
  if (/^\s*-----BEGIN /.test(text)) return 'a certificate or key'
  if (/^\s*[[{]/.test(text)) {
    const isReceipt =
      ['payload', 'protected', 'signature'].filter((name) => text.includes(`"${name}"`)).length > 1
    return isReceipt ? 'the receipt of a job' : 'JSON'
  }
  return /^(\s|\/\/.*\n|\/\*[\s\S]*?\*\/)*OPENQASM\s/.test(text) ? 'an OpenQASM program' : 'other text'
}

function textOf(head: Uint8Array): string | undefined {
  try {
    // The last character of a longer file may be cut.
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
  } catch {
    return undefined
  }
}

/** Why a file could not be written, in a sentence that names it. */
export function whyUnwritable(path: string, cause: unknown): string {
  const folder = dirname(path)
  return existsSync(folder) ? reasonOf(cause) : `there is no folder ${folder}; create it first`
}
