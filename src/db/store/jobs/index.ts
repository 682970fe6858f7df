export { quantumJobs } from '../../collections/quantum_jobs.ts'
export { listTimeline, type TimelineEntry } from '../../journal/timeline.ts'
export { listAttempts } from './attempts.ts'
export { assertEnded, deleteJob, removeLargeValue } from './delete-job.ts'
export {
  type AttemptKey,
  type Claim,
  claimJob,
  type DispatchTarget,
  isRequeuedAttempt,
  isRunningAttempt,
  listAttemptsOfOlderLeases,
  listIdleQpus,
  listRunningAttempts,
  markStarted,
  requeueUndelivered,
} from './dispatch.ts'
export { type Excess, excessOf, fitsQpu, type JobNeeds } from './fits-qpu.ts'
export {
  findResponse,
  findResponseOfKey,
  type KeyedRequest,
  RESPONSE_TTL_MS,
  saveResponse,
} from './idempotency.ts'
export {
  assertMaySubmit,
  bytesOfJob,
  cancelJob,
  chipNeedsOfJob,
  countPending,
  expectedResultsOfJob,
  findJob,
  findJobChanges,
  insertJob,
  type Job,
  type JobLabels,
  type KnownJob,
  labelJob,
  listJobs,
} from './jobs.ts'
export { type Occupancy, readOccupancy } from './occupancy.ts'
export {
  holdJob,
  type JobAction,
  moveJob,
  moveJobToFront,
  releaseJob,
  requeueJob,
} from './operator-actions.ts'
export { FairShare } from './queue/fair-share.ts'
export { mayRun, type QueueState, readQueue } from './queue/queue.ts'
export {
  type CandidateQueue,
  type QueuePositionInput,
  readNewPosition,
  readQueuePosition,
} from './queue/queue-position.ts'
export { type QueuedJob, type QueueHead, readQueueHead } from './queue/queued-jobs.ts'
export {
  type AttemptResult,
  applyResult,
  type JobError,
  type ResultOutcome,
  requeueLost,
  retryBackoffMs,
} from './results.ts'
