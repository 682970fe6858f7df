import { AppError, type Clock, withTimeout } from '../../../base/index.ts'

/** A body that waits for its room. */
interface Waiting {
  account: string
  bytes: number
  enter(): void
}

/**
 * Together, as sent: two jobs with the largest programs. While a body is read, checked and stored it costs some 7
 * times its size (seen: 128 MiB for two of 9 MB); a server needs 100 MiB for itself.
 */
const ROOM = 20 * 1024 * 1024
/** Of one account; a body that is larger has its account to itself. */
const ACCOUNT_ROOM = ROOM / 2
/** Well before a connection that says nothing is closed (32 s). */
const LONGEST_WAIT_MS = 20_000
/** Whoever comes when so many wait is sent away at once: there is not room for more in such a time. */
const MOST_WAITING = 64
const RETRY_AFTER_S = 5

/**
 * The memory for large bodies, which are held whole: a body is read when there is room for it, and waits unread
 * until then. In order of arrival, except that nobody waits behind an account that has its share.
 */
export class BodyMemoryBudget {
  readonly #clock: Clock
  readonly #held = new Map<string, number>()
  #heldInAll = 0
  #waiting: Waiting[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Runs `work`, which reads a body of at most `bytes` of `account`, when there is room; settles as it does.
   * @throws AppError `unavailable` (`too_many_large_bodies`) after 20 s without, and when too many wait already.
   */
  async run<T>(account: string, bytes: number, work: () => Promise<T>): Promise<T> {
    await this.#enter(account, bytes)
    try {
      return await work()
    } finally {
      // Otherwise its garbage is still there while the next is held: 90 MiB more at the peak, and no time won.
      Bun.gc(true)
      this.#hold(account, -bytes)
      this.#admit()
    }
  }

  async #enter(account: string, bytes: number): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) throw busy()
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting: Waiting = { account, bytes, enter: resolve }
    this.#waiting.push(waiting)
    this.#admit()
    if (!this.#waiting.includes(waiting)) return
    await withTimeout(promise, {
      clock: this.#clock,
      ms: LONGEST_WAIT_MS,
      onTimeout: () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        throw busy()
      },
    })
  }

  /** Lets in who has room, the longest waiting first. */
  #admit(): void {
    for (const waiting of [...this.#waiting]) {
      const { account, bytes } = waiting
      if (!fits(this.#held.get(account) ?? 0, bytes, ACCOUNT_ROOM)) continue
      // Nobody overtakes for being small: a large body would wait for ever.
      if (!fits(this.#heldInAll, bytes, ROOM)) return
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      this.#hold(account, bytes)
      waiting.enter()
    }
  }

  #hold(account: string, bytes: number): void {
    this.#heldInAll += bytes
    const held = (this.#held.get(account) ?? 0) + bytes
    if (held > 0) this.#held.set(account, held)
    else this.#held.delete(account)
  }
}

function fits(held: number, bytes: number, room: number): boolean {
  return held === 0 || held + bytes <= room
}

function busy(): AppError {
  return new AppError(
    'unavailable',
    `The server is at work on other large requests; send this one again in ${RETRY_AFTER_S} s`,
    { reason: 'too_many_large_bodies', retryAfter: RETRY_AFTER_S },
  )
}
