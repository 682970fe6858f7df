import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'

/** First event after each attach: who speaks, and which attempt is still running there, if any. */
export const driverHello = defineEvent({
  type: 'DriverHello',
  limited: false,
  payload: v.object({
    version: v.pipe(v.string(), v.maxLength(100)),
    device: v.pipe(v.string(), v.maxLength(255)),
    epoch: v.pipe(v.number(), v.integer(), v.minValue(0)),
    running: v.nullable(
      v.object({ job: v.string(), attempt: v.pipe(v.number(), v.integer(), v.minValue(1)) }),
    ),
  }),
})
