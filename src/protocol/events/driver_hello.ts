import * as v from 'valibot'
import { calibrationId } from '../calibration.ts'
import { defineEvent } from '../define-event.ts'

/**
 * First event after each attach: who speaks, which attempt or calibration still runs there, and which results and
 * reports wait in its outbox. Anything else of this driver can only have been lost: the server need not wait for it.
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
    /** The calibration under way on a tuner. */
    run_id: v.optional(v.nullable(calibrationId)),
    /** Event ids that wait for an acknowledgement; absent from drivers that keep no outbox. */
    outbox: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.maxLength(10_000))),
  }),
})
