import * as v from 'valibot'
import type { ReadTx } from '../../db/index.ts'
import { type QuoteScore, readQuoteScore } from '../../db/store/jobs/index.ts'
import { described, shape } from '../http/schema.ts'

const score = shape('EstimateScore', {
  jobs: v.pipe(v.number(), v.integer()),
  right: described(v.nullable(v.number()), 'Share of them; null without any'),
  mean_width: described(v.nullable(v.number()), 'Width of the range, in s; null without any'),
})

/** How good the estimates of a QPU have been in the present month (UTC). */
export const estimateScoresShape = described(
  shape('EstimateScores', {
    month: v.string(),
    qpu_seconds: described(score, 'Estimates of completed jobs'),
    mean_qpu_seconds: described(v.nullable(v.number()), 'Mean of these jobs; null without any'),
    start: described(score, 'Estimates of completed jobs that were claimed once'),
  }),
  'How often the estimates at submission were right this month, of jobs that have completed',
)

export function readEstimateScores(tx: ReadTx, qpu: string) {
  const month = tx.at.slice(0, 7)
  const sums = readQuoteScore(tx, qpu, month)
  return {
    month,
    qpu_seconds: scoreOf(sums, 'run'),
    mean_qpu_seconds: meanSeconds(sums.run_ms, sums.run_quoted),
    start: scoreOf(sums, 'start'),
  }
}

function scoreOf(sums: QuoteScore, what: 'run' | 'start') {
  const jobs = sums[`${what}_quoted`]
  return {
    jobs,
    right: jobs === 0 ? null : sums[`${what}_right`] / jobs,
    mean_width: meanSeconds(sums[`${what}_width`], jobs),
  }
}

function meanSeconds(ms: number, jobs: number): number | null {
  return jobs === 0 ? null : ms / jobs / 1_000
}
