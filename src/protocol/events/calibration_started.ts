import * as v from 'valibot'
import { calibrationId, calibrationMode } from '../calibration.ts'
import { defineEvent } from '../define-event.ts'

/**
 * The tuner has started this run: from now on it ends with a report, or is lost. `request_id` is null for a
 * run that the tuner started on its own, such as a drift check; the QPU counts as calibrating then too.
 */
export const calibrationStarted = defineEvent({
  type: 'CalibrationStarted',
  limited: false,
  required: true,
  payload: v.object({
    run_id: calibrationId,
    /** Absent for a requested run. */
    request_id: v.optional(v.nullable(calibrationId)),
    mode: v.optional(calibrationMode),
    /** It has not begun, and waits for `BeginCalibration`. Tuners of earlier releases begin immediately. */
    waits: v.optional(v.boolean()),
  }),
})
