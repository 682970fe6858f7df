import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'
import { jobFailure, jobResults } from '../jobs.ts'
import { attemptProvenance } from '../provenance.ts'
import { figuresOf } from '../result-figures.ts'

const attempt = {
  job: v.string(),
  attempt: v.pipe(v.number(), v.integer(), v.minValue(1)),
  epoch: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Execution time in whole milliseconds; 0 when nothing was executed. */
  execution_ms: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** What it ran with. Earlier drivers do not send it, and earlier servers leave it out. */
  provenance: v.optional(attemptProvenance),
}

/** The end of one attempt. Its envelope id is `<job>.<attempt>`, to detect duplicates. */
export const jobResult = defineEvent({
  type: 'JobResult',
  limited: false,
  acknowledged: true,
  large: ['results'],
  summarize: (result) => (result.status === 'completed' ? figuresOf(result.results) : undefined),
  payload: v.variant('status', [
    v.object({ status: v.literal('completed'), ...attempt, results: jobResults }),
    v.object({ status: v.literal('failed'), ...attempt, error: jobFailure }),
  ]),
})

/** Envelope id of an attempt's result. */
export function resultId(job: string, attempt: number): string {
  return `${job}.${attempt}`
}
