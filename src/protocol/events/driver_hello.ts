import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'

/**
 * First event after each attach: who speaks, which attempt still runs there, and which results wait in its outbox.
 * An open attempt of this driver that is neither can only have been lost, so the server need not wait for it.
 */
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
    /** Event ids that wait for an acknowledgement; absent from drivers that keep no outbox. */
    outbox: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.maxLength(10_000))),
  }),
})
