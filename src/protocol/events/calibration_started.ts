import * as v from 'valibot'
import { calibrationId } from '../calibration.ts'
import { defineEvent } from '../define-event.ts'

/** The tuner has started this run: from now on it ends with a report, or is lost. */
export const calibrationStarted = defineEvent({
  type: 'CalibrationStarted',
  limited: false,
  payload: v.object({ run_id: calibrationId }),
})
