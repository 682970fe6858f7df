import type { Clock } from './clock.ts'
import { withLogFields } from './work-scope.ts'

interface LogSumOptions {
  clock: Clock
  /** Writes a line about what was counted, by name. */
  write(counts: Readonly<Record<string, number>>): void
  /** Whether the first one is written immediately, and only those after it once a second. */
  isFirstWritten?: boolean
}

const PERIOD_MS = 1_000

/** Counts what happens often: one line for each second in which anything was counted. */
export class LogSum {
  readonly #options: LogSumOptions
  readonly #stop = new AbortController()
  #counts: Record<string, number> | undefined
  #isWaiting = false

  constructor(options: LogSumOptions) {
    this.#options = options
  }

  /** Counts one of `name`. */
  add(name: string): void {
    this.#counts ??= {}
    this.#counts[name] = (this.#counts[name] ?? 0) + 1
    if (this.#isWaiting) return
    if (this.#options.isFirstWritten) this.#write()
    // The line is not part of the request or message that is counted first.
    withLogFields({}, () => void this.#writeLater())
  }

  /** Writes what was counted in this second. */
  stop(): void {
    this.#stop.abort()
    this.#write()
  }

  async #writeLater(): Promise<void> {
    this.#isWaiting = true
    while (this.#isWaiting) {
      await this.#options.clock.sleep(PERIOD_MS, this.#stop.signal).catch(() => undefined)
      this.#isWaiting = !this.#stop.signal.aborted && this.#write()
    }
  }

  /** Whether there was anything to write. */
  #write(): boolean {
    const counts = this.#counts
    this.#counts = undefined
    if (counts) this.#options.write(counts)
    return counts !== undefined
  }
}
