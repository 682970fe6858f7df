import * as v from 'valibot'
import type { ReadTx } from '../../db/index.ts'
import { type QuoteScore, readQuoteScore } from '../../db/store/jobs/index.ts'

const score = v.pipe(
  v.object({
    jobs: v.pipe(v.number(), v.integer()),
    right: v.pipe(v.nullable(v.number()), v.description('Share of them; null without any')),
    mean_width: v.pipe(v.nullable(v.number()), v.description('Width of the range, in s; null without any')),
  }),
  v.title('EstimateScore'),
)

/** How good the estimates of a QPU have been in the present month (UTC). */
export const estimateScoresShape = v.pipe(
  v.object({
    month: v.string(),
    qpu_seconds: v.pipe(score, v.description('Estimates of completed jobs')),
    mean_qpu_seconds: v.pipe(v.nullable(v.number()), v.description('Mean of these jobs; null without any')),
    start: v.pipe(score, v.description('Estimates of completed jobs that were claimed once')),
  }),
  v.title('EstimateScores'),
  v.description('How often the estimates at submission were right this month, of jobs that have completed'),
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
