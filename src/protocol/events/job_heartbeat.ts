import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'

/** The attempt is still running; sent every 5 s, extends the server's heartbeat deadline. */
export const jobHeartbeat = defineEvent({
  type: 'JobHeartbeat',
  limited: false,
  payload: v.object({
    job: v.string(),
    attempt: v.pipe(v.number(), v.integer(), v.minValue(1)),
    phase: v.optional(v.pipe(v.string(), v.maxLength(100))),
  }),
})
