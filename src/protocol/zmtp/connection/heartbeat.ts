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
  /** Called when two PINGs are unanswered, with the silence of the peer in ms; with 0 after that. */
  silence?(silentMs: number): void
  /** Called once, with how long the peer has been silent, in ms. */
  dead(silentMs: number): void
}

/** Time for bytes that have arrived and wait to be read, as after a pause of this process. */
const READ_MS = 250

/**
 * Reports a silence once it is confirmed, and its end; `dueAt` is when it looks next, `last` the time of the
 * last byte, both monotonic ms.
 */
function silenceWatch({ pingIntervalMs, silence }: HeartbeatOptions) {
  // Two PINGs without an answer, and a second for the second answer.
  const silentAfterMs = 2 * pingIntervalMs + 1_000
  let suspectedAt: number | undefined
  let isReported = false
  return {
    dueAt(last: number): number {
      if (isReported) return Number.POSITIVE_INFINITY
      return suspectedAt === undefined ? last + silentAfterMs : suspectedAt + READ_MS
    },
    look(now: number, silentMs: number): void {
      if (silentMs < silentAfterMs) {
        if (isReported) silence?.(0)
        suspectedAt = undefined
        isReported = false
        return
      }
      suspectedAt ??= now
      if (isReported || now < suspectedAt + READ_MS) return
      isReported = true
      silence?.(silentMs)
    },
  }
}

/** Sends PINGs to a peer at a fixed interval and detects when it has been silent for too long. */
export async function keepHeartbeat(options: HeartbeatOptions): Promise<void> {
  const { clock, signal, pingIntervalMs, deadAfterMs } = options
  const watch = silenceWatch(options)
  let nextPing = clock.monotonic() + pingIntervalMs
  while (!signal.aborted) {
    const last = options.lastReceived() ?? Number.POSITIVE_INFINITY
    const wakeAt = Math.min(nextPing, last + deadAfterMs, watch.dueAt(last))
    await clock.sleep(Math.max(0, wakeAt - clock.monotonic()), signal).catch(() => undefined)
    if (signal.aborted) return
    const now = clock.monotonic()
    const silentMs = now - (options.lastReceived() ?? now)
    if (silentMs >= deadAfterMs) return options.dead(silentMs)
    watch.look(now, silentMs)
    if (now < nextPing) continue
    options.ping()
    nextPing = now + pingIntervalMs
  }
}
