import { fromTimestamp } from '../../../../base/index.ts'
import type { ReadTx } from '../../../records/tx.ts'
import { firstMinuteOf, minuteOf, RecentUse } from '../../accounts/recent-use.ts'
import { listRecentUse } from '../../accounts/recent-use-rows.ts'

/** What a user has used recently, in ms, of jobs that have ended and of those that run. */
export interface UseOfUsers {
  of(user: string): number
  /** The same, with at least `runMs` for each job that runs. */
  ended(user: string, runMs: number): number
}

/**
 * The recent QPU time of all users, kept in memory from the rows of the last minutes: reading it costs as
 * many rows as users had jobs that ended in this minute and the one before. After a restart it reads the
 * window.
 */
export class FairShare {
  readonly #windowMs: number
  readonly #users = new Map<string, RecentUse>()
  #readUntil: number | undefined

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** The recent use of each user at the time of the transaction. */
  read(tx: ReadTx): UseOfUsers {
    this.#update(tx)
    const running = new Map<string, number[]>()
    for (const { user, claimed_at } of tx.all<{ user: string; claimed_at: string }>(RUNNING)) {
      const elapsedMs = Math.max(0, tx.now - (fromTimestamp(claimed_at) ?? tx.now))
      running.set(user, [...(running.get(user) ?? []), elapsedMs])
    }
    const ended = (user: string, runMs: number) =>
      (running.get(user) ?? []).reduce(
        (sum, elapsedMs) => sum + Math.max(elapsedMs, runMs),
        this.#users.get(user)?.of(tx.now) ?? 0,
      )
    return { ended, of: (user) => ended(user, 0) }
  }

  /** Reads this minute and the one before again, because their rows still change. */
  #update(tx: ReadTx): void {
    const minute = minuteOf(tx.now)
    // The clock was set back: what ended later than now is counted when it is now.
    if (minute < (this.#readUntil ?? minute)) this.#users.clear()
    const isRead = this.#readUntil !== undefined && this.#readUntil <= minute
    const from = isRead ? (this.#readUntil ?? 0) - 1 : firstMinuteOf(tx.now, this.#windowMs)
    for (const row of listRecentUse(tx, from, minute)) this.#useOf(row.user).set(row.minute, row.ms)
    this.#readUntil = minute
  }

  #useOf(user: string): RecentUse {
    const known = this.#users.get(user)
    if (known) return known
    const use = new RecentUse(this.#windowMs)
    this.#users.set(user, use)
    return use
  }
}

const RUNNING = `SELECT user_id AS "user", claimed_at FROM quantum_jobs WHERE status = 'running'`
