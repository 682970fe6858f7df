import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Flushes a file, or the names in a folder, so that it survives a power failure. Does nothing for a folder on
 * Windows, which cannot open one and journals renames on its own.
 * @throws the error of the disk.
 */
export function flush(path: string): void {
  if (process.platform === 'win32' && statSync(path).isDirectory()) return
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** `flush` of a folder without waiting in this thread. @throws the error of the disk. */
export async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
