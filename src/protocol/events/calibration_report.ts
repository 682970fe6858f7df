import { calibrationReport as payload } from '../calibration.ts'
import { defineEvent } from '../define-event.ts'

/**
 * The end of one calibration run, requested or not. Its envelope id is the id of the run, to detect
 * duplicates.
 */
export const calibrationReport = defineEvent({
  type: 'CalibrationReport',
  limited: false,
  acknowledged: true,
  large: ['routines', 'benchmarks', 'skipped', 'notes'],
  payload,
})
