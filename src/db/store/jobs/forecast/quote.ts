import { fromTimestamp, toTimestamp } from '../../../../base/index.ts'
import type { Job } from '../jobs.ts'
import { ESTIMATE_BASES, type EstimateBasis } from './forecast.ts'
import type { MsRange } from './measured-range.ts'

/** What was expected of a job when it was submitted. */
export interface Quote {
  /** QPU time in ms. */
  run: MsRange
  basis: EstimateBasis
  /** When it starts, ms since the epoch; undefined when nobody can say. */
  start: MsRange | undefined
  /** The wait that the queue lets expect, ms; 0 without a start. */
  waitMs: number
}

/** The fields of a job that store a quote. */
export function quoteFields({ run, basis, start, waitMs }: Quote) {
  return {
    quote_basis: basis,
    quote_run_from: run.from,
    quote_run_to: run.to,
    quote_start_from: start ? toTimestamp(start.from) : '',
    quote_start_to: start ? toTimestamp(start.to) : '',
    quote_wait_ms: Math.round(waitMs),
  }
}

/** The quote that was stored with a job; undefined for a job of an earlier version. */
export function quoteOf(job: Job): Quote | undefined {
  const { quote_basis: stored, quote_run_from: from, quote_run_to: to } = job
  const basis = ESTIMATE_BASES.find((each) => each === stored)
  if (!basis) return undefined
  const [start, end] = [fromTimestamp(job.quote_start_from), fromTimestamp(job.quote_start_to)]
  return {
    run: { from, to },
    basis,
    start: start === undefined || end === undefined ? undefined : { from: start, to: end },
    waitMs: job.quote_wait_ms,
  }
}
