export { type BackupReport, checkBackup } from './backup/check.ts'
export { backupName, type Keep, planRemoval } from './backup/keep.ts'
export { type Restored, restoreBackup } from './backup/restore.ts'
export { writeBackup } from './backup/write-backup.ts'
export type { Change, ChangeFeed, ChangeListener } from './changes.ts'
export { type AnyCollection, columnOf, type Fields, type RecordOf, type Rules } from './collection.ts'
export { apiTokens } from './collections/api_tokens.ts'
export { calibrationRequests } from './collections/calibration_requests.ts'
export { calibrationResults } from './collections/calibration_results.ts'
export { drivers } from './collections/drivers.ts'
export { events } from './collections/events.ts'
export { externalAuths } from './collections/external_auths.ts'
export { COLLECTIONS, type CollectionName } from './collections/index.ts'
export { notifications } from './collections/notifications.ts'
export { qpuTimeRequests } from './collections/qpu_time_requests.ts'
export { qpus } from './collections/qpus.ts'
export { quantumJobs } from './collections/quantum_jobs.ts'
export { superusers } from './collections/superusers.ts'
export { timeSlots } from './collections/time_slots.ts'
export { users } from './collections/users.ts'
export { type Database, type DatabaseOptions, openDatabase, type Schema } from './database.ts'
export { examine } from './doctor.ts'
export type { Expanded } from './expand.ts'
export type { AnyField, ValueOf } from './field.ts'
export { type Auth, isSuperuser, NO_FACTS, type RequestFacts } from './filter/index.ts'
export { checkInvariants, type Finding } from './invariants.ts'
export { largeFieldsOf } from './large-values.ts'
export type { CollectionNames } from './names.ts'
export { MAX_LARGE_BYTES, unreadFields } from './page-size.ts'
export { type Paging, readPaging } from './paging.ts'
export { pickFields } from './pick-fields.ts'
export {
  createRecordQueries,
  type ListRequest,
  type Permission,
  type QueryOptions,
  type RecordQueries,
  type RecordTest,
} from './query.ts'
export { readDatabase } from './read-database.ts'
export { type RecordedSpan, readRecording } from './recording/read.ts'
export type {
  QpuPatch,
  RecordedJob,
  RecordedQpu,
  RecordedSlot,
  RecordedTry,
  RecordedUser,
  Recording,
} from './recording/recording.ts'
export type { ListQuery } from './records.ts'
export type { Bindable, Params } from './sql.ts'
export type { StorageWatch } from './storage-watch.ts'
export {
  type Account,
  type AccountChange,
  type AccountKind,
  accountCollection,
  accountSecret,
  changeAccount,
  changeUserAccount,
  disableProxy,
  findAccount,
  findAccountByEmail,
  findSuperuser,
  findSuperuserByEmail,
  findUser,
  findUserByApiToken,
  findUserByIdentity,
  followEmail,
  type IdentityField,
  listSuperusers,
  proxyUserOf,
  removeSuperuser,
  type Superuser,
  saveSuperuser,
  type User,
} from './store/accounts.ts'
export {
  type AuditChain,
  type AuditEntry,
  type AuditFilter,
  appendAudit,
  type ListedAudit,
  listAudit,
  readAuditChain,
} from './store/audit.ts'
export { type Report, type ReportEnd, storeReport } from './store/calibration-reports.ts'
export {
  type CalibrationClaim,
  type CalibrationRequest,
  type CalibrationRun,
  claimCalibration,
  confirmCalibration,
  failCalibration,
  insertCalibration,
  isAwaited,
  listRunningCalibrations,
  listRunsOfOlderLeases,
  listTuners,
  loseCalibration,
  mustMayCalibrate,
  type NewCalibration,
  noteProgress,
  putCalibrationBack,
} from './store/calibrations.ts'
export { changeEmail, type ProvenAccount, resetPassword, verifyEmail } from './store/credentials.ts'
export {
  type AttemptKey,
  type Claim,
  claimJob,
  isRequeued,
  isRunning,
  listOfOlderLeases,
  listRunning,
  listServers,
  markStarted,
  putBack,
  type Server,
} from './store/dispatch.ts'
export { type ExternalIdentity, type ExternalSignIn, signInExternally } from './store/external-auths.ts'
export { type DiskGauges, type Gauges, readDiskGauges, readGauges } from './store/gauges.ts'
export {
  ANSWERS_KEPT_MS,
  findAnswer,
  type KeptAnswer,
  type KeyedRequest,
  keepAnswer,
} from './store/idempotency.ts'
export {
  cancelJob,
  findJob,
  insertJob,
  type Job,
  listJobs,
  mustMaySubmit,
  type NewJob,
} from './store/jobs.ts'
export {
  attachLease,
  type Grant,
  grantLease,
  releaseLease,
  resetLeases,
  revokeLease,
} from './store/leases.ts'
export { chargeOf, type LedgerEntry, postLedger } from './store/ledger.ts'
export { type Dismissal, dismissNotification } from './store/notifications.ts'
export {
  holdJob,
  type JobAct,
  moveJobToFront,
  type Requeued,
  releaseJob,
  requeueJob,
} from './store/operate.ts'
export { type JobOutlook, type QueueOutlook, readOutlook } from './store/outlook.ts'
export { probeWrites } from './store/probe.ts'
export {
  calibratingQpus,
  createDriver,
  createQpu,
  type Driver,
  findQpu,
  getQpu,
  listQpus,
  type Qpu,
  setDraining,
  setDriverEnabled,
  setMaintenance,
  setQpuEnabled,
} from './store/qpus.ts'
export { mayRun, type QueueState, readQueue } from './store/queue.ts'
export { type BucketRange, bucketRange } from './store/reading-steps.ts'
export {
  findReadingDrivers,
  listReadingSeries,
  type ReadingBucket,
  type ReadingSeries,
  readBuckets,
  rollUpReadings,
} from './store/readings.ts'
export {
  type Application,
  type AttemptResult,
  applyResult,
  type JobError,
  type RetryLimits,
  requeueLost,
  retryPauseMs,
} from './store/results.ts'
export {
  notePruning,
  type PruneStep,
  pruneCalibrationRequests,
  pruneCalibrationResults,
  pruneEvents,
  pruneIdempotencyKeys,
  pruneReadings,
  stripCalibrationResult,
} from './store/retention.ts'
export { type BusyTime, readSchedule } from './store/schedule.ts'
export { listTimeline, type TimelineEntry } from './store/timeline.ts'
export {
  type ApiToken,
  createApiToken,
  findApiToken,
  listApiTokens,
  removeApiToken,
  syncOwner,
  updateApiToken,
} from './store/tokens.ts'
export { counted, type Page } from './totals.ts'
export { toCsv } from './transfer/csv.ts'
export { exportedKeys, exportedRecord } from './transfer/exported.ts'
export { type ImportOptions, type ImportReport, importRecords, type LineError } from './transfer/import.ts'
export { toJsonLines } from './transfer/json-lines.ts'
export { eachRecord, type Selection } from './transfer/pages.ts'
export { openSnapshot, type Snapshot } from './transfer/snapshot.ts'
export type { ReadTx, Tx } from './tx.ts'
export { initialValue, normalized as normalizedValue } from './values.ts'
