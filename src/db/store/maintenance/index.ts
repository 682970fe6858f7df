export { BOUNDED_TIMES, boundTimes } from '../../hooks/bound-times.ts'
export { announceFigure } from './announce-figure.ts'
export { GAUGES } from './gauges.ts'
export {
  CANCELLED_PAYLOAD_MS,
  createCancelledPayloadStep,
  pruneJobs,
} from './job-retention.ts'
export { probeWrites } from './probe.ts'
export {
  type PruneStep,
  pruneCalibrationRequests,
  pruneCalibrationResults,
  pruneClosedTimes,
  pruneEvents,
  pruneIdempotencyKeys,
  pruneReadings,
  pruneSessions,
  recordPruning,
} from './retention.ts'
export { stripCalibrationResult } from './strip-report.ts'
export {
  beginUserRemoval,
  cancelAbandoned,
  finishUserRemoval,
  listJobsWithoutUser,
  listUnfinishedRemovals,
  type RemovalStep,
  removalSteps,
} from './user-removal.ts'
