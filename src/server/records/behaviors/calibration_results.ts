import { calibrationResults, withdrawReport } from '../../../db/store/calibrations/index.ts'
import { defineBehavior } from '../behavior.ts'

/** Calibration reports: one that a superuser deletes is wrong, and not in force any more. */
export const calibrationResultsBehavior = defineBehavior(calibrationResults, {
  removing: ({ tx }, report) => withdrawReport(tx, report),
})
