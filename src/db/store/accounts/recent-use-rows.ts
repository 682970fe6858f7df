import { DAY_MS } from '../../../base/index.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { minuteOf } from './recent-use.ts'

/** The longest window that may be set, in ms; older rows are removed. */
export const MAX_FAIR_WINDOW_MS = 30 * DAY_MS
/** Old rows removed for each job that ends, so that there are never many. */
const REMOVED_PER_JOB = 2

/** QPU time that the jobs of a user used, by the minute in which they ended. */
interface RecentUseRow {
  minute: number
  user: string
  ms: number
}

/** Adds the QPU time of a job that has run, whether or not its user is charged. */
export function addRecentUse(tx: Tx, { user, ms }: { user: string; ms: number }): void {
  tx.run(
    `INSERT INTO recent_use (minute, user, ms) VALUES ($minute, $user, $ms)
     ON CONFLICT DO UPDATE SET ms = ms + $ms`,
    { minute: minuteOf(tx.now), user, ms },
  )
  tx.run(
    `DELETE FROM recent_use WHERE (minute, user) IN
       (SELECT minute, user FROM recent_use WHERE minute < $oldest ORDER BY minute LIMIT ${REMOVED_PER_JOB})`,
    { oldest: minuteOf(tx.now - MAX_FAIR_WINDOW_MS) },
  )
}

/** The use of each user from `minute` on, in order of time. */
export function listRecentUse(tx: ReadTx, minute: number): RecentUseRow[] {
  return tx.all('SELECT minute, user, ms FROM recent_use WHERE minute >= $minute ORDER BY minute', { minute })
}
