import { HOUR_MS } from '../../base/index.ts'
import type { AddressUse } from '../../db/store/accounts/index.ts'

/** An address from which an API token was used, and when, ms since the epoch. */
interface NotedUse extends AddressUse {
  now: number
}

/** The stored time of the last use is at most this much older. */
const SPACING_MS = HOUR_MS
/** Tokens in memory; of more, the one noted first is forgotten, and stored again with its next request. */
const MAX_NOTED = 50_000

/**
 * Which uses of API tokens are to be stored: one of each token in an hour, so that requests write nothing. A
 * use waits here until the audit of logins writes to the database anyway.
 */
export class TokenUses {
  readonly #noted = new Map<string, number>()
  #due = new Map<string, NotedUse>()

  /** Notes a request with a token, whose id is `use`. */
  note(use: AddressUse, now: number): void {
    const key = use.use
    const before = this.#noted.get(key)
    if (before !== undefined && now - before < SPACING_MS) return
    this.#noted.delete(key)
    this.#noted.set(key, now)
    this.#due.set(key, { ...use, now })
    const oldest = this.#noted.size > MAX_NOTED ? this.#noted.keys().next().value : undefined
    if (oldest === undefined) return
    this.#noted.delete(oldest)
    this.#due.delete(oldest)
  }

  /** Up to `count` uses to store now. */
  take(count: number): NotedUse[] {
    const taken = [...this.#due].slice(0, count)
    for (const [key] of taken) this.#due.delete(key)
    return taken.map(([, use]) => use)
  }
}
