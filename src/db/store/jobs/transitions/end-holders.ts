import type { ReadTx, Tx } from '../../../records/tx.ts'
import { endHolder, type Holder } from '../../sessions/holders.ts'
import { cancelJob } from './cancel.ts'

/** Jobs that one transaction cancels. */
const MAX_JOBS = 100

/** Whether the session of `holder` has ended by `$at`, or its holder has ended it. */
const HAS_ENDED = `(sessions.state = 'closed' OR holder.ended_at <> ''
    OR holder.ends_at <> '' AND holder.ends_at <= $at)`

/** Pending jobs that the secret of a holder submitted whose session has ended, or who has ended it. */
export const DUE = `SELECT job.id FROM quantum_jobs job
  JOIN session_holders holder ON holder.id = job.holder JOIN sessions ON sessions.id = holder.session
  WHERE job.status = 'pending' AND job.holder > '' AND ${HAS_ENDED} LIMIT $limit`

/** Whether the holder whose secret submitted a row of `quantum_jobs` has ended by `$at`, as SQL. */
export const OF_ENDED_HOLDER = `(holder <> '' AND EXISTS (SELECT 1 FROM session_holders holder
    JOIN sessions ON sessions.id = holder.session WHERE holder.id = quantum_jobs.holder AND ${HAS_ENDED}))`

/** Holders that leave when the jobs that their secrets submitted have ended, which they have. */
const DONE = `SELECT id, session FROM session_holders leaver WHERE leaving = 1 AND ended_at = ''
    AND NOT EXISTS (SELECT 1 FROM quantum_jobs WHERE status = 'pending' AND holder > '' AND holder = leaver.id)
    AND NOT EXISTS (SELECT 1 FROM quantum_jobs WHERE status = 'running' AND holder = leaver.id)
  LIMIT $limit`

export function hasDoneHolders(tx: ReadTx): boolean {
  return tx.one(DONE, { limit: 1 }) !== undefined
}

/** Ends holders that leave, of which no job is left, and their sessions. */
export function endDoneHolders(tx: Tx, rate: number): void {
  const done = tx.all<Pick<Holder, 'id' | 'session'>>(DONE, { limit: MAX_JOBS })
  for (const holder of done) endHolder(tx, holder, rate)
}

/** Whether any job has to be cancelled because its session has ended. */
export function hasJobsOfEndedHolders(tx: ReadTx): boolean {
  return tx.one(DUE, { at: tx.at, limit: 1 }) !== undefined
}

/** Cancels pending jobs that secrets of sessions which have ended submitted; whether more may remain. */
export function cancelJobsOfEndedHolders(tx: Tx): boolean {
  const jobs = tx.all<{ id: string }>(DUE, { at: tx.at, limit: MAX_JOBS })
  for (const { id } of jobs) cancelJob(tx, id, 'session_ended')
  return jobs.length === MAX_JOBS
}
