import { AppError } from '../../../base/index.ts'
import { calibrationRequests } from '../../collections/calibration_requests.ts'
import type { ReadTx } from '../../records/tx.ts'
import type { CalibrationRequest } from './calibrations.ts'

/** Reports of runs that reached their end. */
const COMPLETE: ReadonlySet<string> = new Set(['success', 'partial_failure'])

/**
 * What a request asks for that continues another one: the tuner, mode and targets of that one, and the
 * request that the first of them was, under which the tuner keeps the finished steps.
 * @throws AppError `not_found`, or `conflict`: `calibration_not_ended` (it or a continuation of it waits or
 *   runs) or `nothing_to_resume` (it, or a continuation of it, has reached its end).
 */
export function resumableCalibration(
  tx: ReadTx,
  id: string,
): Pick<CalibrationRequest, 'driver' | 'mode' | 'target_qubits' | 'resumes'> {
  const wanted = tx.find(calibrationRequests, id)
  if (!wanted) throw new AppError('not_found', `There is no calibration request ${id}`)
  const first = wanted.resumes === '' ? id : wanted.resumes
  const all = tx.all<{ id: string; status: string; report: string | null }>(
    `SELECT calibration_requests.id, calibration_requests.status, calibration_results.status AS report
       FROM calibration_requests LEFT JOIN calibration_results ON calibration_results.id = calibration_requests.result
     WHERE calibration_requests.id = $first OR calibration_requests.resumes = $first`,
    { first },
  )
  for (const each of all) {
    const what = `Calibration ${each.id}${each.id === id ? '' : `, which continues ${first},`}`
    if (each.status === 'pending' || each.status === 'running') {
      const reason = 'calibration_not_ended'
      throw new AppError('conflict', `${what} is ${each.status}; wait for its end, or set it to failed`, {
        reason,
      })
    }
    if (each.report !== null && COMPLETE.has(each.report)) {
      const reason = 'nothing_to_resume'
      const text = `${what} reached its end (${each.report}): nothing is left to continue; request a new calibration`
      throw new AppError('conflict', text, { reason })
    }
  }
  const { driver, mode, target_qubits } = wanted
  return { driver, mode, target_qubits, resumes: first }
}
