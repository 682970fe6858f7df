import type { Clock } from '../clock.ts'

/** A time limit that was set. */
export interface Alarm {
  /** The limit no longer matters. Safe to call twice, and after it has rung. */
  clear(): void
}

interface Pending {
  /** Monotonic ms. */
  at: number
  ring(): void
}

/**
 * Time limits that are set often and seldom pass, with one timer for all of them. Clearing a limit stops no
 * timer: one that ends and finds nothing due is set for the limit that comes next.
 */
export class Alarms {
  readonly #clock: Clock
  readonly #stop = new AbortController()
  readonly #pending = new Set<Pending>()
  /** When each timer ends; a further one is only started to end before all others, so the first is last. */
  readonly #timers: number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `ring`, which must not throw, once after `ms` unless the returned alarm is cleared before. */
  set(ms: number, ring: () => void): Alarm {
    const alarm: Pending = { at: this.#clock.monotonic() + ms, ring }
    this.#pending.add(alarm)
    this.#watch(alarm.at, ms)
    return { clear: () => void this.#pending.delete(alarm) }
  }

  /** Clears all limits and ends the timers; nothing rings from now on. */
  stop(): void {
    this.#stop.abort()
    this.#pending.clear()
  }

  #watch(at: number, ms: number): void {
    const first = this.#timers.at(-1)
    if (first !== undefined && first <= at) return
    this.#timers.push(at)
    this.#clock.sleep(ms, this.#stop.signal).then(
      () => this.#ringDue(),
      () => undefined,
    )
  }

  #ringDue(): void {
    this.#timers.pop()
    const now = this.#clock.monotonic()
    let next = Number.POSITIVE_INFINITY
    for (const alarm of this.#pending) {
      if (alarm.at > now) {
        next = Math.min(next, alarm.at)
        continue
      }
      this.#pending.delete(alarm)
      alarm.ring()
    }
    if (next < Number.POSITIVE_INFINITY) this.#watch(next, next - now)
  }
}
