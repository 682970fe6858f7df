import type { Clock, Log } from '../../../base/index.ts'

/** Addresses in memory; beyond that the oldest one is evicted and may be logged again. */
const MAX_ADDRESSES = 1_000

/**
 * Logs that an address was refused, at most once per `intervalMs` for each address, because a libzmq client
 * retries for ever. The next line contains the number of refusals that were not logged.
 */
export function refusalLog(
  log: Log,
  clock: Clock,
  intervalMs: number,
): (address: string, reason: string) => void {
  const seen = new Map<string, { at: number; suppressed: number }>()
  return (address, reason) => {
    const now = clock.monotonic()
    const before = seen.get(address)
    if (before && now - before.at < intervalMs) {
      before.suppressed += 1
      return
    }
    seen.delete(address)
    seen.set(address, { at: now, suppressed: 0 })
    const [oldest] = seen.keys()
    if (seen.size > MAX_ADDRESSES && oldest !== undefined) seen.delete(oldest)
    log.warn('message socket peer refused', {
      address,
      reason,
      ...(before && before.suppressed > 0 && { suppressed: before.suppressed }),
    })
  }
}
