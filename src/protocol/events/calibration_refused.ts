import * as v from 'valibot'
import { calibrationId } from '../calibration.ts'
import { defineEvent } from '../define-event.ts'

/** The tuner did not take the run (another one is under way, or its lease is newer): the request goes back. */
export const calibrationRefused = defineEvent({
  type: 'CalibrationRefused',
  limited: false,
  payload: v.object({ run_id: calibrationId, reason: v.picklist(['busy', 'old_epoch', 'stopping']) }),
})
