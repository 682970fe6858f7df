import type { Clock } from '../../../base/index.ts'
import type { AttemptKey } from '../../../db/store/jobs/index.ts'
import { resultId } from '../../../protocol/index.ts'

interface RunningAttempt {
  /** Monotonic ms of the claim; undefined for attempts claimed by an earlier process of the server. */
  claimedAt: number | undefined
  /** Monotonic ms from which on this process knows it. */
  knownSince: number
  /** Monotonic ms of the last heartbeat, or of the claim before the first one. */
  lastHeartbeatAt: number
  /** Monotonic ms of the last report that it runs, or of the claim; -Infinity if this process has none. */
  seenAt: number
  /** ms after which its driver ends it; undefined where the driver does not report it. */
  limitMs?: number | undefined
}

/**
 * The last heartbeat of each running attempt, on the monotonic clock and in memory only: after a restart of
 * the server every attempt has its full time again, so a clock jump or a long stop never ends one early.
 */
export class Heartbeats {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #attempts = new Map<string, RunningAttempt>()

  /** `timeoutMs`: how long an attempt may go without a heartbeat. */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  /** Starts the time of an attempt that has just been claimed. */
  start({ job, attempt }: AttemptKey): void {
    const now = this.#clock.monotonic()
    const times = { claimedAt: now, knownSince: now, lastHeartbeatAt: now, seenAt: now }
    this.#attempts.set(resultId(job, attempt), times)
  }

  /** Records a heartbeat of a known attempt; `limitMs`: after which its driver ends it, if that is known. */
  record({ job, attempt }: AttemptKey, limitMs?: number): void {
    const running = this.#attempts.get(resultId(job, attempt))
    if (!running) return
    running.lastHeartbeatAt = this.#clock.monotonic()
    running.seenAt = running.lastHeartbeatAt
    running.limitMs = limitMs ?? running.limitMs
  }

  /** Restarts the time of an attempt that no heartbeat can reach now; it may have ended. */
  extend({ job, attempt }: AttemptKey): void {
    const running = this.#attempts.get(resultId(job, attempt))
    if (running) running.lastHeartbeatAt = this.#clock.monotonic()
  }

  /** ms after which the driver of an attempt ends it; undefined if that is not known. */
  limitMs({ job, attempt }: AttemptKey): number | undefined {
    return this.#attempts.get(resultId(job, attempt))?.limitMs
  }

  /** ms since the claim; undefined if this process did not claim the attempt or no longer tracks it. */
  elapsedMs({ job, attempt }: AttemptKey): number | undefined {
    const claimedAt = this.#attempts.get(resultId(job, attempt))?.claimedAt
    return claimedAt === undefined ? undefined : this.#clock.monotonic() - claimedAt
  }

  /** ms for which the attempt is known to have run, up to its last heartbeat: at most since its claim. */
  seenMs({ job, attempt }: AttemptKey): number {
    const running = this.#attempts.get(resultId(job, attempt))
    return running ? Math.max(0, running.seenAt - running.knownSince) : 0
  }

  /** ms since the last report that the attempt runs; Infinity if this process has received none. */
  silentMs({ job, attempt }: AttemptKey): number {
    const running = this.#attempts.get(resultId(job, attempt))
    return this.#clock.monotonic() - (running?.seenAt ?? Number.NEGATIVE_INFINITY)
  }

  /**
   * The running attempts without a heartbeat in time. Starts to track unknown ones and stops tracking all
   * others.
   */
  findExpired<T extends AttemptKey>(running: readonly T[]): T[] {
    const now = this.#clock.monotonic()
    const known = new Set(running.map(({ job, attempt }) => resultId(job, attempt)))
    for (const key of this.#attempts.keys()) if (!known.has(key)) this.#attempts.delete(key)
    for (const key of known) {
      if (this.#attempts.has(key)) continue
      const seenAt = Number.NEGATIVE_INFINITY
      this.#attempts.set(key, { claimedAt: undefined, knownSince: now, lastHeartbeatAt: now, seenAt })
    }
    return running.filter(({ job, attempt }) => {
      const tracked = this.#attempts.get(resultId(job, attempt))
      return tracked !== undefined && now - tracked.lastHeartbeatAt >= this.#timeoutMs
    })
  }
}
