export {
  CALIBRATION_LIMITS,
  type CalibrationFindings,
  type CalibrationMode,
  type CalibrationReport,
  type CalibrationStep,
  calibrationFindings,
  calibrationId,
  calibrationMode,
  calibrationReport,
  calibrationStep,
  targetName,
} from './calibration.ts'
export { fingerprintMatches, fingerprintOf, parseFingerprint } from './certificates/fingerprint.ts'
export {
  DOCUMENT_SIGNING,
  isForReceipts,
  isSignedBy,
  RECEIPT_KEY_NAME,
  type Receipt,
  type ReceiptDocument,
  type ReceiptKey,
  receipt,
  signReceipt,
  type VerifiedReceipt,
  verifyReceipt,
} from './certificates/receipt.ts'
export {
  type Command,
  command,
  type EventAck,
  eventAck,
  type RunCalibration,
  type RunJob,
  runCalibration,
  runJob,
  type SetMaintenance,
  type StopCalibration,
  type StopJob,
  setMaintenance,
  stopCalibration,
  stopJob,
} from './commands.ts'
export {
  type ConnectRequest,
  type ConnectResponse,
  connectRequest,
  connectResponse,
  MAX_FAILURE_LENGTH,
  OPERATIONS,
  type Operation,
  operation,
  type SocketClaims,
  socketClaims,
} from './connect.ts'
export { EVENT_LIMITS, type EventEnvelope, type EventType, eventEnvelope } from './define-event.ts'
export {
  DESCRIPTION_LIMITS,
  DEVICE_FEATURES,
  type DeviceDescription,
  type DeviceFeature,
  deviceDescription,
  LISTED_FEATURES,
} from './description.ts'
export {
  EVENTS,
  type EventName,
  type EventPayload,
  type EventSummary,
  type HandledEventName,
  type LargeField,
} from './events/index.ts'
export { resultId } from './events/job_result.ts'
export { type ExpectedResults, expectedResultsOf } from './expected-results.ts'
export {
  type CircuitEntry,
  type CircuitLabel,
  type CircuitResult,
  circuitEntry,
  circuitLabel,
  circuitResult,
  JOB_LIMITS,
  type JobFailure,
  type JobPayload,
  type JobResults,
  jobFailure,
  jobPayload,
  jobResults,
  LABEL_LIMITS,
  labelName,
  needsDiscriminators,
  type PartialResults,
  partialResults,
  RESULTS_TOO_LARGE,
} from './jobs.ts'
export { memoryLength, type RecordedShots } from './memory-length.ts'
export {
  type AttemptProvenance,
  attemptProvenance,
  type DeviceProvenance,
  deviceProvenance,
  type FileState,
} from './provenance.ts'
export { durationText, type PartQuality, type QualityCondition, shortfallsOf } from './quality.ts'
export {
  type CircuitFigures,
  circuitFiguresOf,
  contradictedFailure,
  contradictionOf,
  figuresOf,
  INVALID_RESULTS,
  partialContradictionOf,
  type ResultFigures,
} from './result-figures.ts'
export {
  type Connection,
  type ConnectOptions,
  connect,
  DEFAULT_LIMITS,
  type Listener,
  type ListenOptions,
  listen,
  type Peer,
  PROTOCOL_VERSION,
  type SocketLimits,
} from './socket.ts'
