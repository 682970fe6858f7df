import { calibrationResults, withdrawReport } from '../../../db/store/calibrations/index.ts'
import { calibrationChanged } from '../../../db/store/qpus/index.ts'
import { recallsOfReports } from '../../../db/store/recalls/index.ts'
import { recalledShape } from '../../jobs/responses.ts'
import { defineBehavior } from '../behavior.ts'

/** Calibration reports: one that a superuser deletes is wrong, and not in force any more. */
export const calibrationResultsBehavior = defineBehavior(calibrationResults, {
  computedShape: { recalled: recalledShape },
  computed(tx, reports) {
    const marks = recallsOfReports(
      tx,
      reports.map(({ id }) => id),
    )
    return reports.map(({ id }) => ({ recalled: marks.get(id) ?? null }))
  },
  created: ({ tx }, { qpu }) => calibrationChanged(tx, qpu),
  updated: ({ tx }, _, { qpu }) => calibrationChanged(tx, qpu),
  removing: ({ tx }, report) => withdrawReport(tx, report),
})
