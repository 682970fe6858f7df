import type { Qpu } from '../../api/model/qpus.ts'
import { Moment } from '../Moment.tsx'

/** That the calibration in force of a QPU is recalled, before a job runs with it. */
export function RecalledCalibration({ qpu: { recalled_calibration: recalled } }: { qpu: Qpu }) {
  if (!recalled) return null
  return (
    <p class="notice tone-warn">
      <strong>Calibration recalled.</strong> The <a href={`/calibrations/${recalled.report}`}>calibration</a>{' '}
      in force is not to be relied on{recalled.reason && `: ${recalled.reason}`} (<Moment at={recalled.at} />
      ). Results of jobs that run with it are recalled, too.
    </p>
  )
}
