import type { ReadTx } from '../../records/tx.ts'
import { MAX_FAIR_WINDOW_MS } from '../../sums/old-use.ts'
import { minuteOf } from './recent-use.ts'
import { recentUseOf } from './recent-use-rows.ts'

/** When an account was used, and how much QPU time its jobs used recently. */
interface UserActivity {
  user: string
  /** The last login, UTC text; '' = none is known. */
  lastLogin: string
  /** The last request from a new address or of a new day, UTC text; '' = none is known. */
  lastSeen: string
  /** QPU time in ms that ended in the last 30 days. */
  recentMs: number
}

/** The activity of users, in the given order. */
export function listUserActivity(tx: ReadTx, users: readonly string[]): UserActivity[] {
  const ids = JSON.stringify(users)
  const uses = tx.all<{ account: string; login: string | null; seen: string }>(
    `SELECT account, max(CASE WHEN use = 'login' THEN at END) AS login, max(at) AS seen FROM known_addresses
     WHERE account IN (SELECT 'user:' || value FROM ${tx.dialect.jsonItems('$ids')}) GROUP BY account`,
    { ids },
  )
  const recent = tx.all<{ user: string; ms: number }>(
    `SELECT "user", sum(ms) AS ms FROM ${recentUseOf(tx)} recent
     WHERE minute >= $first AND "user" IN ${tx.dialect.jsonTexts('$ids')} GROUP BY "user"`,
    { ids, first: minuteOf(tx.now - MAX_FAIR_WINDOW_MS) },
  )
  const byAccount = new Map(uses.map((each) => [each.account, each]))
  const byUser = new Map(recent.map(({ user, ms }) => [user, ms]))
  return users.map((user) => {
    const use = byAccount.get(`user:${user}`)
    return { user, lastLogin: use?.login ?? '', lastSeen: use?.seen ?? '', recentMs: byUser.get(user) ?? 0 }
  })
}
