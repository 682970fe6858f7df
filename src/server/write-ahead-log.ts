import { type Clock, type Log, Loop, MIB } from '../base/index.ts'
import type { DatabaseFiles } from '../db/index.ts'

const INTERVAL_MS = 10_000
/** Far beyond what traffic alone produces: a reader keeps the log from being emptied. */
const WARN_ABOVE_BYTES = 256 * MIB

interface LogWatchDependencies {
  files: Pick<DatabaseFiles, 'trimLog'>
  clock: Clock
  log: Log
}

/**
 * Empties the write-ahead log of the database when it is idle, and logs one warning each time it exceeds 256
 * MiB.
 */
export function createLogWatch({ files, clock, log }: LogWatchDependencies): Loop {
  let isLarge = false
  return new Loop({
    name: 'write-ahead log',
    summary: 'Empty the write-ahead log of the database while it is idle',
    clock,
    log,
    intervalMs: INTERVAL_MS,
    async runOnce() {
      const bytes = await files.trimLog()
      const wasLarge = isLarge
      isLarge = bytes > WARN_ABOVE_BYTES
      if (isLarge && !wasLarge) {
        log.warn(
          'the write-ahead log is large; check that the replicator runs, if there is one, end backups and exports that hang, and check the space on the disk',
          { megabytes: Math.round(bytes / 1e6) },
        )
      }
    },
  })
}
