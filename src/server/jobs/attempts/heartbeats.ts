import type { Clock } from '../../../base/index.ts'
import type { AttemptKey } from '../../../db/index.ts'
import { resultId } from '../../../protocol/index.ts'

interface RunningAttempt {
  /** Monotonic ms of the claim; undefined for attempts of an earlier life of the server. */
  claimedAt: number | undefined
  /** Monotonic ms of the last sign of life. */
  lastHeartbeatAt: number
}

/**
 * When each running attempt was last heard of, by a clock that only grows. Kept in memory only: after a restart
 * of the server every attempt has its full time again, so a clock jump or a long stop never ends one early.
 */
export class Heartbeats {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #attempts = new Map<string, RunningAttempt>()

  /** `silenceMs`: how long an attempt may give no sign of life. */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  /** The attempt begins now. */
  start({ job, attempt }: AttemptKey): void {
    const now = this.#clock.monotonic()
    this.#attempts.set(resultId(job, attempt), { claimedAt: now, lastHeartbeatAt: now })
  }

  /** The attempt gave a sign of life. */
  record({ job, attempt }: AttemptKey): void {
    const watch = this.#attempts.get(resultId(job, attempt))
    if (watch) watch.lastHeartbeatAt = this.#clock.monotonic()
  }

  /** ms since the claim; undefined when this process did not claim it, or has given it up. */
  elapsedMs({ job, attempt }: AttemptKey): number | undefined {
    const claimedAt = this.#attempts.get(resultId(job, attempt))?.claimedAt
    return claimedAt === undefined ? undefined : this.#clock.monotonic() - claimedAt
  }

  /** Of the attempts that run, those whose time is over. Begins to watch the unknown, forgets all others. */
  findExpired<T extends AttemptKey>(running: readonly T[]): T[] {
    const now = this.#clock.monotonic()
    const known = new Set(running.map(({ job, attempt }) => resultId(job, attempt)))
    for (const key of this.#attempts.keys()) if (!known.has(key)) this.#attempts.delete(key)
    for (const key of known) {
      if (!this.#attempts.has(key)) this.#attempts.set(key, { claimedAt: undefined, lastHeartbeatAt: now })
    }
    return running.filter(({ job, attempt }) => {
      const watch = this.#attempts.get(resultId(job, attempt))
      return watch !== undefined && now - watch.lastHeartbeatAt >= this.#timeoutMs
    })
  }
}
