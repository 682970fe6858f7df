export { calibrationRequests } from '../../collections/calibration_requests.ts'
export { calibrationResults } from '../../collections/calibration_results.ts'
export { announceFailedRequest } from './announce-end.ts'
export { type Report, type ReportOutcome, storeReport } from './calibration-reports.ts'
export {
  assertMayCalibrate,
  awaitRunningJob,
  type CalibrationClaim,
  type CalibrationRequest,
  claimCalibration,
  confirmCalibration,
  endLostCalibration,
  failCalibration,
  insertCalibration,
  isCurrentRun,
  listIdleTuners,
  listRunningCalibrations,
  listRunsOfOlderLeases,
  recordProgress,
  requeueUndeliveredCalibration,
  resumableCalibration,
} from './calibrations.ts'
export {
  listMedians,
  listSpans,
  type Median,
  readMedian,
  type StoredMedian,
  storeMedians,
} from './medians.ts'
export { beginOwnRun, endOwnRun, listAwaitedJobs, listOwnRuns, listOwnRunsToBegin } from './own-runs.ts'
export {
  finishValues,
  type HistoryQuery,
  listLatestValues,
  listValueHistory,
  type QpuCalibration,
  readoutFidelities,
  readQpuCalibrations,
  readUnreadReport,
  storeValues,
  type UnreadReport,
  withdrawReport,
} from './values.ts'
export { listValuesAt, type StoredValue } from './values-at.ts'
