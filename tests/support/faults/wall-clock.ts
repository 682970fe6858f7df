import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const LIBRARY = '/usr/lib/*/faketime/libfaketime.so.1'

/** Why the wall clock of a process cannot be set here, or undefined. */
export function whyNoWallClock(): string | undefined {
  return library() ? undefined : 'it takes libfaketime (package faketime)'
}

/** The wall clock of a process that is started with `env`; its monotonic clock is the machine's. */
export interface WallClock {
  readonly env: Record<string, string>
  /** Sets it to so much before (`-1d`) or after (`+1h`) the true time, at once. */
  set(offset: string): void
}

/** A wall clock that is right until it is set; the file with its offset is in `folder`. */
export function openWallClock(folder: string): WallClock {
  const file = join(folder, 'wall-clock')
  const set = (offset: string) => writeFileSync(file, offset)
  set('+0')
  return {
    set,
    env: {
      LD_PRELOAD: library() ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // Times of files are the true ones.
      NO_FAKE_STAT: '1',
    },
  }
}

function library(): string | undefined {
  return [...new Bun.Glob(LIBRARY).scanSync({ cwd: '/', absolute: true })][0]
}
