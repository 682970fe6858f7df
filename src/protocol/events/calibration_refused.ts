import * as v from 'valibot'
import { calibrationId } from '../calibration.ts'
import { defineEvent } from '../define-event.ts'

/**
 * The tuner rejected the run (another one is running, or its lease is newer): the request is queued again.
 */
export const calibrationRefused = defineEvent({
  type: 'CalibrationRefused',
  limited: false,
  required: true,
  payload: v.object({ run_id: calibrationId, reason: v.picklist(['busy', 'old_epoch', 'stopping']) }),
})
