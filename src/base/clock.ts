/** The only source of time in the product, so that tests can move it. */
export interface Clock {
  /** Wall clock in milliseconds since the Unix epoch: for bookings, display and stored times. */
  now(): number
  /** Milliseconds that only grow, unaffected by clock jumps: for durations and deadlines. */
  monotonic(): number
  /** Resolves after `ms`, or rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** What a timer of the runtime can hold, in ms; a longer one would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    ms > LONGEST_TIMER_MS
      ? timer(LONGEST_TIMER_MS, signal).then(() => systemClock.sleep(ms - LONGEST_TIMER_MS, signal))
      : timer(ms, signal),
}

function timer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(pending)
      reject(signal?.reason)
    }
    const pending = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

interface Sleeper {
  at: number
  wake(): void
}

/** A clock that stands still until `advance` moves it; sleepers wake in order of their time. */
export class FakeClock implements Clock {
  #now: number
  #monotonic = 0
  #sleepers: Sleeper[] = []

  constructor(now = Date.UTC(2026, 0, 31, 9, 0, 0)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#monotonic
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

  /** Moves both clocks by `ms`, waking each sleeper at its own time, and lets the woken code run. */
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

  /** Moves only the wall clock, as an administrator or NTP would. */
  jump(ms: number): void {
    this.#now += ms
  }
}
