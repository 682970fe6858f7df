import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Flushes a file, or the directory entries of a folder, so that it survives a power failure. */
export function flush(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
