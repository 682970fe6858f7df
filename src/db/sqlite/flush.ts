import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Waits until what was written to a file, or the names in a folder, would survive a power cut. */
export function flush(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
