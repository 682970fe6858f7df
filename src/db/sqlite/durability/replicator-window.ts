import type { Clock } from '../../../base/index.ts'

/** A replicator that waits for the write lock looks for it every 100 ms. */
const WINDOW_MS = 120
const WINDOW_INTERVAL_MS = 2_000

/**
 * Times without writes while the log is large, so that a replicator gets the write lock, which it needs to
 * empty the log. The returned function gives the end of such a time; undefined when writes may go on.
 */
export function createReplicatorWindow(
  clock: Clock,
  isLogLarge: () => boolean,
): () => Promise<void> | undefined {
  let window: Promise<void> | undefined
  let lookedAt = clock.monotonic()
  return () => {
    if (window !== undefined) return window
    if (clock.monotonic() - lookedAt < WINDOW_INTERVAL_MS) return undefined
    lookedAt = clock.monotonic()
    if (!isLogLarge()) return undefined
    window = clock.sleep(WINDOW_MS).then(() => {
      window = undefined
      lookedAt = clock.monotonic()
    })
    return window
  }
}
