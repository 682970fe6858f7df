import { DAY_MS, MINUTE_MS } from '../../base/index.ts'
import type { SqlWriter } from '../engine/sql.ts'

/** The longest window of the policy `fair` that may be set, in ms; older rows are removed. */
export const MAX_FAIR_WINDOW_MS = 30 * DAY_MS
/** Old rows removed each time that the sums are written, so that there are never many. */
const MAX_REMOVED_ROWS = 100

/** Removes some of the rows of `recent_use` that have left every window. */
export function removeOldUse(tx: Pick<SqlWriter, 'post' | 'now'>): void {
  tx.post(
    `DELETE FROM recent_use WHERE (minute, "user") IN
       (SELECT minute, "user" FROM recent_use WHERE minute < $oldest ORDER BY minute LIMIT ${MAX_REMOVED_ROWS})`,
    { oldest: Math.floor((tx.now - MAX_FAIR_WINDOW_MS) / MINUTE_MS) },
  )
}
