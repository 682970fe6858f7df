import type { Clock } from '../../base/index.ts'

/** Measures the time of each phase of one circuit. */
export class PhaseTimer {
  readonly #clock: Clock
  readonly #seconds: Record<string, number> = {}
  #since: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.monotonic()
  }

  /** Adds the time since the last call, or since the start, to `phase`. */
  end(phase: string): void {
    const now = this.#clock.monotonic()
    this.#seconds[phase] = (this.#seconds[phase] ?? 0) + (now - this.#since) / 1_000
    this.#since = now
  }

  /** Seconds by phase. */
  get seconds(): Record<string, number> {
    return { ...this.#seconds }
  }
}
