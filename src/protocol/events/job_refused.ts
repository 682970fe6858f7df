import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'

/**
 * The driver rejected the dispatch (another job runs, or its lease is newer): the job returns to the queue.
 */
export const jobRefused = defineEvent({
  type: 'JobRefused',
  limited: false,
  required: true,
  payload: v.object({
    job: v.string(),
    attempt: v.pipe(v.number(), v.integer(), v.minValue(1)),
    reason: v.picklist(['busy', 'old_epoch', 'stopping']),
  }),
})
