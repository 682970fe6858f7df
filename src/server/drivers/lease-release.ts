import { AppError, type Clock, type Log, Loop } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import { type LeaseKey, releaseLease, resetLeases } from '../../db/store/qpus/index.ts'

const RETRY_MS = 1_000

/**
 * Frees leases until that is stored: those of the previous run of the server, once, and those of connections
 * that have ended. While the disk refuses writes that cannot be stored;
 * the server serves reads meanwhile, and no driver connects before it is done.
 */
export class LeaseRelease {
  readonly #db: Database
  readonly #log: Log
  readonly loop: Loop
  readonly #unreleased = new Map<LeaseKey, string>()
  #reset: Promise<void> | undefined

  constructor({ db, clock, log }: { db: Database; clock: Clock; log: Log }) {
    this.#db = db
    this.#log = log
    this.loop = new Loop({
      name: 'release of leases',
      clock,
      log,
      intervalMs: RETRY_MS,
      runOnce: () => this.done(),
    })
  }

  /** Tries to free those of the previous run; a full disk is no error. */
  async tryOnce(): Promise<void> {
    await this.done().catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'storage_full') throw error
    })
  }

  /** Frees the lease of a connection that has ended for a reason, now or as soon as the disk accepts it. */
  async release(key: LeaseKey, reason = ''): Promise<void> {
    this.#unreleased.set(key, reason)
    await this.done().catch((error: unknown) =>
      this.#log.warn('lease is not released yet; trying again', { ...key, error }),
    )
  }

  /**
   * Resolves when all of them are free; tries again if that has failed.
   * @throws the error of the write.
   */
  async done(): Promise<void> {
    this.#reset ??= resetLeases(this.#db).catch((error: unknown) => {
      this.#reset = undefined
      throw error
    })
    await this.#reset
    await Promise.all(
      [...this.#unreleased].map(async ([key, reason]) => {
        await releaseLease(this.#db, key, reason)
        this.#unreleased.delete(key)
      }),
    )
  }
}
