import type { Clock } from '../../base/index.ts'
import type { RunCalibration } from '../../protocol/index.ts'
import { writeFailedReport } from '../messages/write-event.ts'
import type { Task } from './task.ts'

/** Identifies the run and its request; only the device process reads the rest of the command. */
type CalibrationHead = Pick<RunCalibration, 'run_id' | 'request_id' | 'epoch' | 'limit_ms'>

/** One run of a calibration. The grace period lets the device restore currents and switches. */
export function calibrationTask(head: CalibrationHead, text: string, { clock }: { clock: Clock }): Task {
  const { run_id, epoch, limit_ms } = head
  return {
    id: run_id,
    noun: 'calibration',
    names: { run: run_id },
    epoch,
    text,
    limitMs: limit_ms,
    graceMs: 30_000,
    isReportedWhenStopped: true,
    hello: { running: null, run_id },
    started: { type: 'CalibrationStarted', payload: { run_id } },
    refused: (reason) => ({ type: 'CalibrationRefused', payload: { run_id, reason } }),
    failure: (error, executionMs) => writeFailedReport(clock, head, error.message, executionMs),
  }
}
