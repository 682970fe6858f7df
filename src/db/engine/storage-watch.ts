import { AppError, type Clock, type Log } from '../../base/index.ts'

/**
 * Time without a failed write after which the disk counts as recovered; a nearly full disk still accepts
 * small writes.
 */
const RECOVERY_MS = 5_000

/** Whether the disk accepts writes. The start and the end of an outage are logged, not each failed write. */
export interface StorageWatch {
  /** The error of the latest write; undefined while writes succeed. */
  readonly failure: AppError | undefined
  /** Number of failed writes since the start. */
  readonly refusals: number
}

/** A storage watch that is updated with the outcome of each write. */
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

  /** Records a failed write; only storage errors count. */
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

  /** Records a write that is on disk. */
  succeeded(): void {
    if (!this.#failure || this.#clock.monotonic() - this.#refusedAt < RECOVERY_MS) return
    this.#failure = undefined
    this.#log.info('storage takes writes again', { refused: this.#refusals - this.#refusalsBefore })
  }
}
