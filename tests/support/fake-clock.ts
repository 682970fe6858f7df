import type { Clock } from '../../src/base/index.ts'

interface Sleeper {
  at: number
  wake(): void
}

/**
 * A clock that stands still until `advance` moves it; sleepers resolve in the order of their times. With
 * `msPerReading`, its monotonic time is later at each reading, as if what is measured took time.
 */
export class FakeClock implements Clock {
  #now: number
  #monotonic = 0
  #sleepers: Sleeper[] = []

  readonly #msPerReading: number

  constructor(now = Date.UTC(2026, 0, 31, 9, 0, 0), msPerReading = 0) {
    this.#now = now
    this.#msPerReading = msPerReading
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    this.#monotonic += this.#msPerReading
    return this.#monotonic
  }

  /** Number of sleeps that are neither over nor aborted. */
  get sleepers(): number {
    return this.#sleepers.length
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const sleeper: Sleeper = { at: this.#monotonic + ms, wake: resolve }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        reject(signal.reason)
      })
    })
  }

  /** Moves both times by `ms`, resolves each sleeper at its own time and lets the code that awaits it run. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms
    for (;;) {
      const next = this.#sleepers.reduce<Sleeper | undefined>(
        (first, each) => (each.at <= end && (!first || each.at < first.at) ? each : first),
        undefined,
      )
      if (!next) break
      this.#now += next.at - this.#monotonic
      this.#monotonic = next.at
      this.#sleepers = this.#sleepers.filter((other) => other !== next)
      next.wake()
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#now += end - this.#monotonic
    this.#monotonic = end
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** Moves only the wall-clock time, as an administrator or NTP would. */
  jump(ms: number): void {
    this.#now += ms
  }
}
