import { type Database, textBytes } from '../../../db/index.ts'
import { readExpectedResults, recordProgress } from '../../../db/store/jobs/index.ts'
import { type ExpectedResults, JOB_LIMITS, partialContradictionOf } from '../../../protocol/index.ts'
import type { EventSource, ReceivedPayload } from '../../drivers/receive.ts'

/** What became of a report; `stale`: its attempt does not run; `refused`: its results, for this reason. */
type Noted = { kind: 'noted' | 'stale' } | { kind: 'refused'; reason: string }

/**
 * Stores how far a job is, and the results of its circuits that have ended. Results that contradict the job
 * are refused; those that it ends with are checked again.
 */
export function noteProgress(
  db: Database,
  { driver }: Pick<EventSource, 'driver'>,
  payload: ReceivedPayload<'JobProgress'>,
): Promise<Noted> {
  const { job, attempt, progress, summary = [] } = payload
  const bytes = textBytes(payload)
  return db.write(
    'note job progress',
    (tx): Noted => {
      const text = summary.length > 0 ? readExpectedResults(tx, job) : ''
      // Written by the submission; jobs of earlier versions do not say what they expect.
      const expected = text === '' ? undefined : (JSON.parse(text) as ExpectedResults)
      const reason = expected && partialContradictionOf(summary, expected)
      const results = reason === undefined ? summary : []
      const noted = recordProgress(tx, { job, attempt, driver, progress, results }, JOB_LIMITS.partialBytes)
      if (!noted) return { kind: 'stale' }
      return reason === undefined ? { kind: 'noted' } : { kind: 'refused', reason }
    },
    { bytes, account: driver },
  )
}
