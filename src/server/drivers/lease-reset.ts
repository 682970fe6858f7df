import { AppError, type Clock, type Log, Loop } from '../../base/index.ts'
import { type Database, resetLeases } from '../../db/index.ts'

const RETRY_MS = 1_000

/**
 * Frees the leases of the previous run of the server, once. While the disk is full that cannot be stored; the
 * server serves reads meanwhile, and no driver connects before it is done.
 */
export class LeaseReset {
  readonly #db: Database
  readonly loop: Loop
  #done: Promise<void> | undefined

  constructor({ db, clock, log }: { db: Database; clock: Clock; log: Log }) {
    this.#db = db
    this.loop = new Loop({
      name: 'reset of leases',
      clock,
      log,
      intervalMs: RETRY_MS,
      runOnce: () => this.done(),
    })
  }

  /** Tries to free them; a full disk is no error. */
  async tryOnce(): Promise<void> {
    await this.done().catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'storage_full') throw error
    })
  }

  /**
   * Resolves when they are free; tries again if that has failed.
   * @throws AppError `storage_full`.
   */
  done(): Promise<void> {
    this.#done ??= resetLeases(this.#db).catch((error: unknown) => {
      this.#done = undefined
      throw error
    })
    return this.#done
  }
}
