import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import { withLogFields } from './log-scope.ts'

interface LogSumOptions {
  log: Log
  clock: Clock
  /** The sentence of the line; its fields are what was counted. */
  message: string
}

const PERIOD_MS = 1_000

/** Counts what happens for each job: one line at info for each second in which anything was counted. */
export class LogSum {
  readonly #options: LogSumOptions
  readonly #stop = new AbortController()
  #counts: Record<string, number> | undefined

  constructor(options: LogSumOptions) {
    this.#options = options
  }

  /** Counts one of `name`. */
  add(name: string): void {
    if (!this.#counts) {
      this.#counts = {}
      // The line is not part of the request or message that is counted first.
      withLogFields({}, () => this.#writeLater())
    }
    this.#counts[name] = (this.#counts[name] ?? 0) + 1
  }

  /** Writes what was counted in this second. */
  stop(): void {
    this.#stop.abort()
    this.#write()
  }

  #writeLater(): void {
    const { clock } = this.#options
    clock.sleep(PERIOD_MS, this.#stop.signal).then(
      () => this.#write(),
      () => undefined,
    )
  }

  #write(): void {
    if (!this.#counts) return
    const { log, message } = this.#options
    log.info(message, this.#counts)
    this.#counts = undefined
  }
}
