import { fromTimestamp } from '../../../../base/index.ts'
import { QUEUED, quantumJobs } from '../../../collections/quantum_jobs.ts'
import type { ChangeFeed } from '../../../records/changes.ts'
import type { ReadTx } from '../../../records/tx.ts'
import { firstMinuteOf, minuteOf, RecentUse } from '../../accounts/recent-use.ts'
import { listRecentUse } from '../../accounts/recent-use-rows.ts'
import type { Job } from '../jobs.ts'
import { PENDING_BY_USER } from './queue-sql.ts'

/**
 * The recent QPU time of all users, kept in memory from the rows of the last minutes: reading it costs as
 * many rows as users had jobs that ended in this minute and the one before. After a restart it reads the
 * window.
 */
export class FairShare {
  readonly #windowMs: number
  readonly #users = new Map<string, RecentUse>()
  readonly #isFollowing: boolean
  #readUntil: number | undefined
  /** All users with queued jobs, and some that had any since `minute` began. */
  #waiting: { minute: number; users: Set<string> } | undefined
  /** Users of jobs that have changed since then: a snapshot that is older may not show their jobs. */
  #changed = new Set<string>()

  /** With `upcoming`, users with queued jobs are known from the changes instead of being read each time. */
  constructor(windowMs: number, upcoming?: ChangeFeed) {
    this.#windowMs = windowMs
    this.#isFollowing = upcoming !== undefined
    upcoming?.subscribe((changes) => {
      for (const { collection, record } of changes) {
        if (collection === quantumJobs.name && record !== undefined) this.#note(record as Job)
      }
    })
  }

  /** The recent use of each user in ms, of jobs that have ended and of those that run. */
  read(tx: ReadTx): (user: string) => number {
    return this.readAs(tx, (elapsedMs) => elapsedMs)
  }

  /** The same, with what `usedBy` counts of a job that has been running for `elapsedMs`. */
  readAs(tx: ReadTx, usedBy: (elapsedMs: number) => number): (user: string) => number {
    this.#update(tx)
    const running = new Map<string, number>()
    for (const { user, claimed_at } of tx.all<{ user: string; claimed_at: string }>(RUNNING)) {
      const elapsedMs = Math.max(0, tx.now - (fromTimestamp(claimed_at) ?? tx.now))
      running.set(user, (running.get(user) ?? 0) + usedBy(elapsedMs))
    }
    return (user) => (this.#users.get(user)?.of(tx.now) ?? 0) + (running.get(user) ?? 0)
  }

  /** The users with queued jobs, possibly with others. */
  waitingUsers(tx: ReadTx): string[] {
    const minute = minuteOf(tx.now)
    if (!this.#isFollowing || this.#waiting?.minute !== minute) {
      const rows = tx.all<{ id: string }>(WAITING_USERS)
      this.#waiting = { minute, users: new Set([...rows.map(({ id }) => id), ...this.#changed]) }
      this.#changed = new Set()
    }
    return [...this.#waiting.users]
  }

  #note({ user_id }: Job): void {
    this.#waiting?.users.add(user_id)
    this.#changed.add(user_id)
  }

  /** Reads this minute and the one before again, because their rows still change. */
  #update(tx: ReadTx): void {
    const minute = minuteOf(tx.now)
    const from =
      this.#readUntil === undefined
        ? firstMinuteOf(tx.now, this.#windowMs)
        : Math.min(this.#readUntil, minute) - 1
    for (const row of listRecentUse(tx, from)) this.#useOf(row.user).set(row.minute, row.ms)
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

const RUNNING = "SELECT user_id AS user, claimed_at FROM quantum_jobs WHERE status = 'running'"

/** Steps from user to user through the index; a test asserts that it reads the index only. */
export const WAITING_USERS = `WITH RECURSIVE waiting(id) AS (
    SELECT min(user_id) FROM ${PENDING_BY_USER} WHERE ${QUEUED}
    UNION ALL
    SELECT (SELECT min(user_id) FROM ${PENDING_BY_USER} WHERE ${QUEUED} AND user_id > waiting.id)
    FROM waiting WHERE waiting.id IS NOT NULL)
  SELECT id FROM waiting WHERE id IS NOT NULL`
