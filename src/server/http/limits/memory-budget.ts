import { type Clock, withTimeout } from '../../../base/index.ts'
import { COUNTS, type Count } from '../../admission/limits.ts'
import { Places } from '../../admission/places.ts'

/** How much memory bodies of one direction may take. */
interface MemoryLimits {
  /** Bytes of bodies; a single larger one of an account is admitted while the account has no other. */
  readonly bytes: Count
  /** Bodies that wait; further ones are refused at once. */
  readonly waiting: Count
}

export const REQUEST_MEMORY: MemoryLimits = { bytes: COUNTS.bodyBytes, waiting: COUNTS.waitingBodies }

export const RESPONSE_MEMORY: MemoryLimits = {
  bytes: COUNTS.responseBytes,
  waiting: COUNTS.waitingResponses,
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
    return this.#shares.takeFree(account, bytes) ?? (await this.#wait(account, bytes, signal))
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
      // At once, so that a share that is free a moment later is not given to nobody.
      onTimeout: () => {
        end()
        return share
      },
    }).finally(() => signal?.removeEventListener('abort', end))
  }
}
