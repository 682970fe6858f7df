import { AppError, type Clock, withTimeout } from '../../../base/index.ts'

/** The memory that one body takes from the budget. */
interface Share {
  account: string
  bytes: number
}

/** A body that is not read before its share is granted. */
interface WaitingBody extends Share {
  grant(): void
}

/**
 * Bytes of all bodies together, as sent: two jobs with the largest programs. While a body is read, checked
 * and stored it takes about 7 times its size (measured: 128 MiB for two of 9 MB); a server needs 100 MiB for
 * itself.
 */
const MAX_TOTAL_BYTES = 20 * 1024 * 1024
/** Bytes of all bodies of one account; a single larger body is admitted while the account has no other. */
const MAX_ACCOUNT_BYTES = MAX_TOTAL_BYTES / 2
/** Well below the idle timeout of connections (32 s). */
const MAX_WAIT_MS = 20_000
/** Further bodies are refused at once: the budget does not admit more than this within `MAX_WAIT_MS`. */
const MAX_WAITING = 64
const RETRY_AFTER_S = 5
/**
 * How long the share of a finished body stays in use, so that its garbage is collected before the next body
 * is read. With 20 accounts that send two jobs of 9 MB each, the peak of the process is 259 to 318 MiB, as
 * with a blocking collection; without a collection it is 387 to 491 MiB, and with 30 ms up to 430 MiB.
 */
const COLLECTION_MS = 200

/**
 * Limits the memory for large bodies, which are held in memory as a whole. A body waits unread until its
 * share is free. Shares are granted in order of arrival, except that a body whose account has used up its
 * part lets the bodies of other accounts pass.
 */
export class BodyMemoryBudget {
  readonly #clock: Clock
  readonly #usedByAccount = new Map<string, number>()
  #used = 0
  #waiting: WaitingBody[] = []
  #finished: Share[] = []
  #isReclaiming = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Runs `work`, which reads a body of at most `bytes` sent by `account`, once its share is free; settles
   * like `work`.
   * @throws AppError `unavailable` (`too_many_large_bodies`) after waiting 20 s, and when 64 bodies wait
   *   already.
   */
  async run<T>(account: string, bytes: number, work: () => Promise<T>): Promise<T> {
    await this.#acquire({ account, bytes })
    try {
      return await work()
    } finally {
      this.#finished.push({ account, bytes })
      void this.#reclaim()
    }
  }

  get #isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING
  }

  async #acquire(share: Share): Promise<void> {
    if (this.#isFull) throw tooManyBodies()
    const { promise, resolve } = Promise.withResolvers<void>()
    const body: WaitingBody = { ...share, grant: resolve }
    this.#waiting.push(body)
    this.#grantShares()
    if (!this.#waiting.includes(body)) return
    await withTimeout(promise, {
      clock: this.#clock,
      ms: MAX_WAIT_MS,
      onTimeout: () => {
        this.#waiting = this.#waiting.filter((other) => other !== body)
        throw tooManyBodies()
      },
    })
  }

  /**
   * Returns the shares of finished bodies after a garbage collection. The collection runs beside the event
   * loop and does not report its end, hence the fixed time. A blocking one stops the loop for 30 ms with an
   * empty server and for 200 ms with a million objects on the heap.
   */
  async #reclaim(): Promise<void> {
    if (this.#isReclaiming) return
    this.#isReclaiming = true
    while (this.#finished.length > 0) {
      const finished = this.#finished
      this.#finished = []
      Bun.gc(false)
      await this.#clock.sleep(COLLECTION_MS)
      for (const { account, bytes } of finished) this.#use(account, -bytes)
      this.#grantShares()
    }
    this.#isReclaiming = false
  }

  #grantShares(): void {
    for (const body of [...this.#waiting]) {
      const { account, bytes } = body
      if (!fits(this.#usedByAccount.get(account) ?? 0, bytes, MAX_ACCOUNT_BYTES)) continue
      // Smaller bodies must not overtake: a large one would never get its share.
      if (!fits(this.#used, bytes, MAX_TOTAL_BYTES)) return
      this.#waiting.splice(this.#waiting.indexOf(body), 1)
      this.#use(account, bytes)
      body.grant()
    }
  }

  #use(account: string, bytes: number): void {
    this.#used += bytes
    const used = (this.#usedByAccount.get(account) ?? 0) + bytes
    if (used > 0) this.#usedByAccount.set(account, used)
    else this.#usedByAccount.delete(account)
  }
}

function fits(used: number, bytes: number, limit: number): boolean {
  return used === 0 || used + bytes <= limit
}

function tooManyBodies(): AppError {
  return new AppError(
    'unavailable',
    `The server is processing other large requests; send this one again in ${RETRY_AFTER_S} s`,
    { reason: 'too_many_large_bodies', retryAfter: RETRY_AFTER_S },
  )
}
