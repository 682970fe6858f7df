import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'

/** A file system of its own, mounted on a folder. */
export interface SmallDisk extends AsyncDisposable {
  /** Takes the last byte. */
  fill(): void
  /** Gives all of that back. */
  free(): void
  /** Makes it read-only or writable; no process may have a file open in it. */
  setReadOnly(readOnly: boolean): Promise<void>
}

const BLOCK = new Uint8Array(4_096)

/** Mounts `mib` MiB of memory on `folder`, which is made when absent. Needs root. */
export async function mountSmallDisk(folder: string, mib = 8): Promise<SmallDisk> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await $`mount -t tmpfs -o size=${mib}m,mode=700 svc-test ${folder}`.quiet()
  const ballast = join(folder, 'ballast')
  return {
    fill() {
      const file = openSync(ballast, 'a')
      try {
        for (;;) writeSync(file, BLOCK)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast),
    setReadOnly: async (readOnly) =>
      void (await $`mount -o remount,${readOnly ? 'ro' : 'rw'} ${folder}`.quiet()),
    [Symbol.asyncDispose]: async () => void (await $`umount --lazy ${folder}`.quiet()),
  }
}
