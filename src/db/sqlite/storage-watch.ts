import { AppError, type Clock, type Log } from '../../base/index.ts'

/** Without a refusal for so long the disk is taken to be well again; a nearly full one takes small writes only. */
const RECOVERY_MS = 5_000

/** Whether the disk takes what is written. Says in the log when that begins and ends, not for each write. */
export interface StorageWatch {
  /** Why the latest writes were refused; undefined while all is well. */
  readonly failure: AppError | undefined
  /** Writes refused since the start. */
  readonly refusals: number
}

/** A watch that is told how writes end. */
export class WriteOutcomes implements StorageWatch {
  readonly #clock: Clock
  readonly #log: Log
  #failure: AppError | undefined
  #refusals = 0
  #refusalsBefore = 0
  #refusedAt = 0

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  get failure(): AppError | undefined {
    return this.#failure
  }

  get refusals(): number {
    return this.#refusals
  }

  /** A write failed; only what the disk is to blame for counts. */
  failed(error: unknown): void {
    if (!(error instanceof AppError) || error.code !== 'storage_full') return
    if (!this.#failure) {
      this.#refusalsBefore = this.#refusals
      this.#log.error('storage refuses writes', { reason: error.reason, problem: error.message })
    }
    this.#failure = error
    this.#refusals += 1
    this.#refusedAt = this.#clock.monotonic()
  }

  /** Something was written and is on disk. */
  succeeded(): void {
    if (!this.#failure || this.#clock.monotonic() - this.#refusedAt < RECOVERY_MS) return
    this.#failure = undefined
    this.#log.info('storage takes writes again', { refused: this.#refusals - this.#refusalsBefore })
  }
}
