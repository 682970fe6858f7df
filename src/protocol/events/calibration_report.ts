import { calibrationReport as payload } from '../calibration.ts'
import { defineEvent } from '../define-event.ts'

/** The end of one calibration run, asked for or not. Its envelope id is the run's, so a repetition is recognised. */
export const calibrationReport = defineEvent({
  type: 'CalibrationReport',
  limited: false,
  acknowledged: true,
  payload,
})
