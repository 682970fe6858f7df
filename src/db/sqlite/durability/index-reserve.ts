import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs'

/** The size of an index of the log to which SQLite extends the file when it opens a database. */
const INDEX_BYTES = 32_768

/**
 * Leaves a file of zeros in the place of the log's index, after the connections to the database at `path`
 * are closed and SQLite has removed it. The first connection replaces the content. Without the file, a
 * database could not be opened, not even to read, while the disk is full.
 */
export function reserveIndex(path: string): void {
  const index = `${path}-shm`
  if (existsSync(index) || !existsSync(path)) return
  try {
    const file = openSync(index, 'wx', 0o600)
    try {
      writeSync(file, new Uint8Array(INDEX_BYTES))
    } finally {
      closeSync(file)
    }
  } catch {
    // A part of it is of no use to the next start.
    rmSync(index, { force: true })
  }
}
