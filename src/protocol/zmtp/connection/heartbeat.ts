import type { Clock } from '../../../base/index.ts'

interface HeartbeatOptions {
  clock: Clock
  /** Ends the heartbeat. */
  signal: AbortSignal
  pingIntervalMs: number
  deadAfterMs: number
  /** Monotonic time of the last received byte, in ms; undefined while this side does not read. */
  lastReceived(): number | undefined
  ping(): void
  /** Called once, with how long the peer has been silent, in ms. */
  dead(silentMs: number): void
}

/** Sends PINGs to a peer at a fixed interval and detects when it has been silent for too long. */
export async function keepHeartbeat(options: HeartbeatOptions): Promise<void> {
  const { clock, signal, pingIntervalMs, deadAfterMs } = options
  let nextPing = clock.monotonic() + pingIntervalMs
  while (!signal.aborted) {
    const deadline = (options.lastReceived() ?? Number.POSITIVE_INFINITY) + deadAfterMs
    const wakeAt = Math.min(nextPing, deadline)
    await clock.sleep(Math.max(0, wakeAt - clock.monotonic()), signal).catch(() => undefined)
    if (signal.aborted) return
    const now = clock.monotonic()
    const silentMs = now - (options.lastReceived() ?? now)
    if (silentMs >= deadAfterMs) return options.dead(silentMs)
    if (now < nextPing) continue
    options.ping()
    nextPing = now + pingIntervalMs
  }
}
