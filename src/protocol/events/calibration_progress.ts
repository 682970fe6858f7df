import * as v from 'valibot'
import { calibrationId, calibrationStep } from '../calibration.ts'
import { defineEvent } from '../define-event.ts'

/**
 * One step of a calibration, sent after each routine and target. `request_id` is null for a drift check that
 * the tuner started on its own.
 */
export const calibrationProgress = defineEvent({
  type: 'CalibrationProgress',
  payload: v.object({
    run_id: calibrationId,
    request_id: v.nullable(calibrationId),
    ...calibrationStep.entries,
  }),
})
