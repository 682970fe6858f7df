export { quantumJobs } from '../../collections/quantum_jobs.ts'
export { isOfOperator, type TimelineEntry, timelineOf } from '../../journal/timeline.ts'
export { ownerOfJob } from './announce-end.ts'
export {
  type AttemptKey,
  type AttemptResult,
  type AttemptSeen,
  attemptsOf,
  type DriverAttempt,
  isRequeuedAttempt,
  isRunningAttempt,
  type JobError,
  listAttemptsOfOlderLeases,
  listRunningAttempts,
} from './attempts.ts'
export { type Excess, excessOf, fitsQpu, type JobNeeds } from './fits-qpu.ts'
export { ASSUMED_MS, ESTIMATE_BASES, type EstimateBasis, Forecast } from './forecast/forecast.ts'
export { type Quote, quoteOf } from './forecast/quote.ts'
export { type QuoteScore, readQuoteScore } from './forecast/scores.ts'
export {
  findResponseOfKey,
  type KeyedRequest,
  RESPONSE_TTL_MS,
  responseOf,
  saveResponse,
} from './idempotency.ts'
export {
  findJob,
  findJobChanges,
  type Job,
  type JobLabels,
  type KnownJob,
  labelJob,
  listJobs,
  readExpectedResults,
} from './jobs.ts'
export { type Occupancy, readOccupancy } from './occupancy.ts'
export { listPartialResults, type PartialResult, recordProgress } from './partial-results.ts'
export { type AttemptCalibration, disturbingReport, type KnownProvenance } from './provenance.ts'
export { JobOrder, type OpenJob } from './queue/job-order.ts'
export { OrderReading, queueReads } from './queue/qpu-queue.ts'
export { mayRun, type QpuState, type QueueState, queueStateOf } from './queue/queue.ts'
export {
  type CandidateQueue,
  newPosition,
  type QueuePositionInput,
  queuePositionOf,
  queuePositionReads,
} from './queue/queue-position.ts'
export { type QueuedJob, type QueueHead, readQueueHead } from './queue/queued-jobs.ts'
export { advanceSessions, settleSessions } from './queue/sessions-of-qpu.ts'
export { cancelJob } from './transitions/cancel.ts'
export { type Claim, claimable, claimJob, type DispatchTarget, idleQpus } from './transitions/claim.ts'
export { assertEnded, deleteJob, removeLargeValue } from './transitions/delete.ts'
export {
  cancelJobsOfEndedHolders,
  endDoneHolders,
  hasDoneHolders,
  hasJobsOfEndedHolders,
} from './transitions/end-holders.ts'
export { applyResult, type ResultOutcome, resultReads } from './transitions/finish.ts'
export { deadlineOf, giveUp, listDueJobs } from './transitions/give-up.ts'
export { holdJob } from './transitions/hold.ts'
export {
  bytesOfJob,
  insertJob,
  pendingJobsOf,
  refusalToSubmit,
  type SubmitLimits,
  type Submitter,
  submitterOf,
} from './transitions/insert.ts'
export { moveJob, moveJobToFront } from './transitions/move.ts'
export type { JobAction } from './transitions/operator-action.ts'
export { releaseJob } from './transitions/release.ts'
export { requeueDisturbed, requeueJob, requeueUndelivered } from './transitions/requeue.ts'
export { requeueLost, retryBackoffMs } from './transitions/retry.ts'
export { markStarted } from './transitions/start.ts'
export { capError, remainingMs } from './transitions/time-cap.ts'
