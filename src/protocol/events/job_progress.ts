import * as v from 'valibot'
import { KIB } from '../../base/index.ts'
import { defineEvent } from '../define-event.ts'
import { JOB_LIMITS, partialResults } from '../jobs.ts'
import { circuitFiguresOf } from '../result-figures.ts'

/**
 * How far the running attempt is, and the results of circuits that have ended since the last event: sent at
 * most once a second, and only to servers whose `RunJob` says that they store it.
 */
export const jobProgress = defineEvent({
  type: 'JobProgress',
  large: ['results'],
  maxBytes: JOB_LIMITS.partialBytes + 64 * KIB,
  summarize: ({ results }) =>
    results.map(({ index, result }) => ({
      index,
      text: JSON.stringify(result),
      figures: circuitFiguresOf(result),
    })),
  payload: v.object({
    job: v.string(),
    attempt: v.pipe(v.number(), v.integer(), v.minValue(1)),
    /** Part of the job that is done. */
    progress: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
    results: partialResults,
  }),
})
