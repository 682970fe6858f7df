import * as v from 'valibot'
import { calibrationId } from '../calibration.ts'
import { defineEvent } from '../define-event.ts'

/**
 * First event after each attach: version and device of the driver, the attempt or calibration that still
 * runs, and the results and reports that wait in its outbox. Anything else of this driver is lost; the server
 * does not wait for it.
 */
export const driverHello = defineEvent({
  type: 'DriverHello',
  required: true,
  payload: v.object({
    version: v.pipe(v.string(), v.maxLength(100)),
    device: v.pipe(v.string(), v.maxLength(255)),
    epoch: v.pipe(v.number(), v.integer(), v.minValue(0)),
    running: v.nullable(
      v.object({
        job: v.string(),
        attempt: v.pipe(v.number(), v.integer(), v.minValue(1)),
        /** As in `JobStarted`. */
        limit_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      }),
    ),
    /** The calibration under way on a tuner. */
    run_id: v.optional(v.nullable(calibrationId)),
    /** The calibration that the tuner started on its own and that is under way. */
    own_run: v.optional(v.nullable(calibrationId)),
    /** Whether a `DeviceDescription` follows; otherwise the description of another device no longer holds. */
    describes: v.optional(v.boolean()),
    /** Event ids that wait for an acknowledgement; absent from drivers without an outbox. */
    outbox: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.maxLength(10_000))),
  }),
})
