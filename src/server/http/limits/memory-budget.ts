import { type Clock, withTimeout } from '../../../base/index.ts'
import { COUNTS, type Count } from '../../admission/limits.ts'
import { Places } from '../../admission/places.ts'

/** How much memory bodies of one direction may take. */
interface MemoryLimits {
  /** Bytes of bodies; a single larger one of an account is admitted while the account has no other. */
  readonly bytes: Count
  /** Bodies that wait; further ones are refused immediately. */
  readonly waiting: Count
  /** How long the share of a finished body stays in use while its garbage is collected, in ms. */
  readonly collectionMs: number
}

/**
 * How long the share of a finished body of a request stays in use, so that its garbage is collected before
 * the next body is read. With 20 accounts that send two jobs of 9 MB each, the peak of the process is 259 to
 * 318 MiB, as with a blocking collection; without a collection it is 387 to 491 MiB, and with 30 ms up to
 * 430 MiB.
 */
const COLLECTION_MS = 200

export const REQUEST_MEMORY: MemoryLimits = {
  bytes: COUNTS.bodyBytes,
  waiting: COUNTS.waitingBodies,
  collectionMs: COLLECTION_MS,
}

export const RESPONSE_MEMORY: MemoryLimits = {
  bytes: COUNTS.responseBytes,
  waiting: COUNTS.waitingResponses,
  // A response leaves no more garbage than its last chunks.
  collectionMs: 0,
}

/** Well below the idle timeout of connections (32 s). */
const MAX_WAIT_MS = 20_000

/**
 * Limits the memory for large bodies of requests, or of responses. A body waits until its share is free.
 * Accounts take turns; a body whose account has used up its part lets those of other accounts pass.
 */
export class MemoryBudget {
  readonly #clock: Clock
  readonly #limits: MemoryLimits
  readonly #shares: Places
  /** How to return the shares of finished bodies. */
  readonly #finished: (() => void)[] = []
  #isReclaiming = false

  constructor(clock: Clock, limits: MemoryLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#shares = new Places(limits.bytes, limits.waiting)
  }

  /**
   * Runs `work`, which reads or sends a body of `account` that takes at most `bytes`, once its share is free;
   * settles like `work`.
   * @throws AppError `unavailable` as `take` does.
   */
  async run<T>(account: string, bytes: number, work: () => Promise<T>): Promise<T> {
    const release = await this.take(account, bytes)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /**
   * Runs `work` with a function that waits for a share of `bytes`, for a body whose size is not known before
   * it is read; settles like `work`.
   */
  async runReserving<T>(
    account: string,
    bytes: number,
    work: (reserve: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    let release: (() => void) | undefined
    try {
      return await work(async () => {
        release = await this.take(account, bytes)
      })
    } finally {
      release?.()
    }
  }

  /**
   * Waits for a share; call the result once when the body is finished.
   * @throws AppError `unavailable` with the reason of the limits after waiting 20 s, and when too many bodies
   *   wait already; also when `signal` ends the wait, since nobody receives the body any more.
   */
  async take(account: string, bytes: number, signal?: AbortSignal): Promise<() => void> {
    const release = this.#shares.takeFree(account, bytes) ?? (await this.#wait(account, bytes, signal))
    return () => {
      this.#finished.push(release)
      if (this.#limits.collectionMs === 0) this.#freeFinished()
      else void this.#reclaim()
    }
  }

  async #wait(account: string, bytes: number, signal?: AbortSignal): Promise<() => void> {
    const over = new AbortController()
    const end = () => over.abort(this.#limits.waiting.refuse('all'))
    const share = this.#shares.wait(account, bytes, over.signal)
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) end()
    return withTimeout(share, {
      clock: this.#clock,
      ms: MAX_WAIT_MS,
      // Immediately, so that a share that is free a moment later is not given to nobody.
      onTimeout: () => {
        end()
        return share
      },
    }).finally(() => signal?.removeEventListener('abort', end))
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
      const count = this.#finished.length
      Bun.gc(false)
      await this.#clock.sleep(this.#limits.collectionMs)
      this.#freeFinished(count)
    }
    this.#isReclaiming = false
  }

  /** Returns the shares of the first `count` finished bodies. */
  #freeFinished(count = this.#finished.length): void {
    for (const release of this.#finished.splice(0, count)) release()
  }
}
