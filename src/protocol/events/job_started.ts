import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'

/** The device has started this attempt. Not sent for jobs that end within a few ms. */
export const jobStarted = defineEvent({
  type: 'JobStarted',
  limited: false,
  payload: v.object({
    job: v.string(),
    attempt: v.pipe(v.number(), v.integer(), v.minValue(1)),
    /** Milliseconds after which the driver ends it; earlier drivers do not report it. */
    limit_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  }),
})
