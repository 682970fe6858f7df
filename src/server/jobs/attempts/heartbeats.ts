import type { Clock } from '../../../base/index.ts'
import type { AttemptKey } from '../../../db/index.ts'
import { resultId } from '../../../protocol/index.ts'

interface Watch {
  /** Monotonic ms of the claim; undefined for attempts of an earlier life of the server. */
  claimedAt: number | undefined
  /** Monotonic ms of the last sign of life. */
  aliveAt: number
}

/**
 * When each running attempt was last heard of, by a clock that only grows. Kept in memory only: after a restart
 * of the server every attempt has its full time again, so a clock jump or a long stop never ends one early.
 */
export class Deadlines {
  readonly #clock: Clock
  readonly #silenceMs: number
  readonly #watches = new Map<string, Watch>()

  /** `silenceMs`: how long an attempt may give no sign of life. */
  constructor(clock: Clock, silenceMs: number) {
    this.#clock = clock
    this.#silenceMs = silenceMs
  }

  /** The attempt begins now. */
  claimed({ job, attempt }: AttemptKey): void {
    const now = this.#clock.monotonic()
    this.#watches.set(resultId(job, attempt), { claimedAt: now, aliveAt: now })
  }

  /** The attempt gave a sign of life. */
  alive({ job, attempt }: AttemptKey): void {
    const watch = this.#watches.get(resultId(job, attempt))
    if (watch) watch.aliveAt = this.#clock.monotonic()
  }

  /** ms since the claim; undefined when this process did not claim it, or has given it up. */
  elapsedMs({ job, attempt }: AttemptKey): number | undefined {
    const claimedAt = this.#watches.get(resultId(job, attempt))?.claimedAt
    return claimedAt === undefined ? undefined : this.#clock.monotonic() - claimedAt
  }

  /** Of the attempts that run, those whose time is over. Begins to watch the unknown, forgets all others. */
  overdue<T extends AttemptKey>(running: readonly T[]): T[] {
    const now = this.#clock.monotonic()
    const known = new Set(running.map(({ job, attempt }) => resultId(job, attempt)))
    for (const key of this.#watches.keys()) if (!known.has(key)) this.#watches.delete(key)
    for (const key of known) {
      if (!this.#watches.has(key)) this.#watches.set(key, { claimedAt: undefined, aliveAt: now })
    }
    return running.filter(({ job, attempt }) => {
      const watch = this.#watches.get(resultId(job, attempt))
      return watch !== undefined && now - watch.aliveAt >= this.#silenceMs
    })
  }
}
