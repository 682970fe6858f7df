import type { Clock, Log, LogFields } from '../../base/index.ts'

const INTERVAL_MS = 1_000

/**
 * Logs dropped events of one driver: at most one line per second, whatever the driver sends. The first line
 * is written at once; the next one, a second later, describes the last event and contains how many were
 * dropped since, by message if there were several kinds.
 */
export class DropLog {
  readonly #driver: string
  readonly #log: Log
  readonly #clock: Clock
  readonly #closing = new AbortController()
  readonly #counts = new Map<string, number>()
  #last: LogFields = {}
  #isWaiting = false

  constructor(driver: string, log: Log, clock: Clock) {
    this.#driver = driver
    this.#log = log
    this.#clock = clock
  }

  /** Counts one dropped event and logs it, now or with others within a second. */
  report(message: string, fields: LogFields): void {
    this.#counts.set(message, (this.#counts.get(message) ?? 0) + 1)
    this.#last = fields
    if (this.#isWaiting) return
    this.#write()
    void this.#wait()
  }

  /** Writes what is not logged yet. */
  close(): void {
    this.#closing.abort()
    this.#write()
  }

  async #wait(): Promise<void> {
    this.#isWaiting = true
    while (this.#isWaiting) {
      await this.#clock.sleep(INTERVAL_MS, this.#closing.signal).catch(() => undefined)
      this.#isWaiting = !this.#closing.signal.aborted && this.#write()
    }
  }

  /** Whether there was anything to write. */
  #write(): boolean {
    const counts = [...this.#counts]
    this.#counts.clear()
    const [most] = counts.toSorted(([, one], [, other]) => other - one)
    if (!most) return false
    const dropped = counts.reduce((sum, [, count]) => sum + count, 0)
    const kinds = counts.length > 1 ? Object.fromEntries(counts) : undefined
    this.#log.warn(most[0], { driver: this.#driver, ...this.#last, dropped, ...(kinds && { kinds }) })
    return true
  }
}
