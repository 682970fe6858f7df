import type { SqlReader } from '../../engine/sql.ts'
import type { ReadTx } from '../../records/tx.ts'
import { newerCharges } from '../../sums/newer.ts'

/** QPU time that the jobs of a user used, by the minute in which they ended. */
interface RecentUseRow {
  minute: number
  user: string
  ms: number
}

/** The recent use of users, with that of jobs which are newer than the stored sums. */
export function recentUseOf(tx: SqlReader): string {
  return `(SELECT minute, "user", ms FROM recent_use
    UNION ALL SELECT ${tx.dialect.unixSeconds('at')} / 60, "user", used_ms FROM ${newerCharges(tx.dialect)} newer)`
}

/** The use of each user in the minutes from `first` to `last`, in order of time. */
export function listRecentUse(tx: ReadTx, first: number, last: number): RecentUseRow[] {
  return tx.all(
    `SELECT minute, "user", sum(ms) AS ms FROM ${recentUseOf(tx)} recent WHERE minute BETWEEN $first AND $last GROUP BY 1, 2 ORDER BY 1`,
    { first, last },
  )
}
