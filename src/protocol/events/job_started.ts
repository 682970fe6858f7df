import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'

/** The device has begun to run this attempt. Not sent for jobs that end within some ms. */
export const jobStarted = defineEvent({
  type: 'JobStarted',
  limited: false,
  payload: v.object({ job: v.string(), attempt: v.pipe(v.number(), v.integer(), v.minValue(1)) }),
})
