export {
  type BackupFile,
  findBackupFile,
  isBackupName,
  listBackupFiles,
  newBackupPath,
  removeBackupFile,
} from './backup/backup-files.ts'
export { type BackupReport, checkBackup } from './backup/check.ts'
export { readBackupTime } from './backup/last-backup.ts'
export { makeBackup } from './backup/make-backup.ts'
export { runBackupTask } from './backup/process/backup-host.ts'
export { runInBackupProcess } from './backup/process/backup-process.ts'
export type { BackupResult, BackupTask } from './backup/process/messages.ts'
export { removeOldBackups } from './backup/remove-old.ts'
export { removeAbandonedRestores, restoreBackup, unusedName } from './backup/restore.ts'
export { backupName, newestBackup, planRemoval, type RetentionPolicy } from './backup/retention.ts'
export { writeBackup } from './backup/write-backup.ts'
export { apiTokens, TOKEN_SCOPES, type TokenScope } from './collections/api_tokens.ts'
export { calibrationRequests } from './collections/calibration_requests.ts'
export { calibrationResults } from './collections/calibration_results.ts'
export { drivers } from './collections/drivers.ts'
export { events } from './collections/events.ts'
export { externalAuths } from './collections/external_auths.ts'
export { notes } from './collections/monitoring/notes.ts'
export { thresholds } from './collections/monitoring/thresholds.ts'
export { notifications } from './collections/notifications.ts'
export { MAX_QPU_SECONDS, qpuTimeRequests } from './collections/qpu_time_requests.ts'
export { qpus } from './collections/qpus.ts'
export { quantumJobs } from './collections/quantum_jobs.ts'
export { superusers } from './collections/superusers.ts'
export { overlapsOf, type SlotConflict, timeSlots } from './collections/time_slots.ts'
export { users } from './collections/users.ts'
export { webhooks } from './collections/webhooks.ts'
export { COLLECTIONS, type CollectionName } from './collections.ts'
export type { LogLoss } from './durability/log-check.ts'
export {
  acceptReplacement,
  readReplacement,
  removeStaged,
  replaceDatabase,
  returnReplaced,
} from './durability/replacement.ts'
export { type Auth, NO_REQUEST, type RequestInfo } from './filter/index.ts'
export { DIRECTION_MARKS } from './hooks/plain-name.ts'
export { diagnose } from './integrity/doctor.ts'
export { checkInvariants, type Finding } from './integrity/invariants.ts'
export {
  type AuditEntry,
  appendAudit,
  auditChainAt,
  continueAuditChain,
  erasePersonal,
  lastAuditSeq,
  type PersonalDetail,
  readAuditChain,
} from './journal/audit.ts'
export { type AuditFilter, type ListedAudit, listAudit, planAuditPage } from './journal/list-audit.ts'
export { type MailItem, queueMailItem } from './journal/mail-items.ts'
export { listTimeline, type TimelineEntry } from './journal/timeline.ts'
export { queueWebhookEvent } from './journal/webhook-events.ts'
export { WEBHOOK_KIND_NAMES, WEBHOOK_KINDS, type WebhookKindName } from './journal/webhook-kinds.ts'
export {
  type DatabaseOptions,
  lockDataFolder,
  openDatabase,
  type Schema,
} from './open-database.ts'
export { isClosedTo } from './query/closed-rule.ts'
export { createExpandBudget, type Expanded, type ExpandLimits } from './query/expand.ts'
export { type OwnJobsFilter, planOwnJobs } from './query/own-jobs.ts'
export { readPaging } from './query/paging.ts'
export { createRecordQueries, type RecordQueries, type RecordTest } from './query/query.ts'
export { type Page, readPage } from './query/read-page.ts'
export type { ExportedPage, ExportPage, PageWriter } from './readers/export-page.ts'
export { runReader } from './readers/reader-host.ts'
export type { Reading, ReadLimits } from './readers/reader-pool.ts'
export { readRecording } from './recording/read.ts'
export type {
  RecordedAttempt,
  RecordedJob,
  RecordedQpu,
  RecordedSlot,
  Recording,
} from './recording/recording.ts'
export type { Change } from './records/changes.ts'
export type { Database } from './records/database.ts'
export { MAX_LARGE_BYTES, unreadFields } from './records/page-size.ts'
export { pickedNames, pickFields } from './records/pick-fields.ts'
export { heldBytes, readSlice } from './records/stored-values.ts'

export type { ReadTx, Tx } from './records/tx.ts'
export type { AnyCollection, RecordOf, Rules } from './schema/collection.ts'
export type { Field, ValueSchema } from './schema/field.ts'
export { date } from './schema/fields/index.ts'
export { encodeJson, encodeParts, JsonText, StoredJson } from './schema/json-text.ts'
export { largeFieldsOf } from './schema/large-values.ts'
export type { CollectionNames } from './schema/names.ts'
export { isJsonLargerThan, unreadText, unreadValues } from './schema/unread-json.ts'
export { initialValue } from './schema/values.ts'
export { BACKUP_FOLDER } from './sqlite/database-file.ts'
export { readDatabase } from './sqlite/read-database.ts'
export type { SqlReader } from './sqlite/sql.ts'

export {
  type Account,
  type AccountKind,
  accountSecret,
  changeAccount,
  changeUserAccount,
  disableProxy,
  findAccount,
  findAccountByEmail,
  findByApiToken,
  findSuperuser,
  findSuperuserByEmail,
  findUser,
  findUserByIdentity,
  type IdentityField,
  listSuperusers,
  proxyUserOf,
  readSuperusers,
  removeSuperuser,
  type Superuser,
  saveSuperuser,
  syncProxyEmail,
  type User,
} from './store/accounts/accounts.ts'
export { changeEmail, endSessions, resetPassword, verifyEmail } from './store/accounts/credentials.ts'
export { type ExternalIdentity, signInExternally } from './store/accounts/external-auths.ts'
export {
  type AddressUse,
  forgetAddresses,
  isKnownAddress,
  type LastUse,
  listLastUses,
  MAX_KNOWN_ADDRESSES,
  rememberAddress,
  touchAddress,
} from './store/accounts/known-addresses.ts'
export { chargeOf, postLedger } from './store/accounts/ledger.ts'
export { listLedger } from './store/accounts/list-ledger.ts'
export { dismissNotification } from './store/accounts/notifications.ts'
export { compareFair, RecentUse } from './store/accounts/recent-use.ts'
export { MAX_FAIR_WINDOW_MS } from './store/accounts/recent-use-rows.ts'
export { storedBytesLimit, storedBytesOf } from './store/accounts/stored-bytes.ts'
export {
  type ApiToken,
  createApiToken,
  findApiToken,
  listApiTokens,
  removeApiToken,
  syncOwner,
  updateApiToken,
} from './store/accounts/tokens.ts'
export {
  addUsage,
  USAGE_GROUPS,
  type Usage,
  type UsageGroup,
  type UsageQuery,
  usageStatement,
} from './store/accounts/usage.ts'
export { listUserActivity } from './store/accounts/user-activity.ts'
export {
  type CalendarCalibration,
  type CalendarFeed,
  type CalendarSlot,
  changeCalendarFeed,
  findCalendarByHash,
  findCalendarFeed,
  listCalendarCalibrations,
  listCalendarSlots,
  removeCalendarFeed,
  saveCalendarFeed,
} from './store/bookings/calendar-feeds.ts'
export {
  bookSlots,
  cancelFollowing,
  endSlot,
  requireSlot,
  type TimeSlot,
} from './store/bookings/slots.ts'
export { announceFailedRequest } from './store/calibrations/announce-end.ts'
export { type Report, type ReportOutcome, storeReport } from './store/calibrations/calibration-reports.ts'
export {
  assertMayCalibrate,
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
} from './store/calibrations/calibrations.ts'
export { listMedians, type Median, readMedian, type StoredMedian } from './store/calibrations/medians.ts'
export { beginOwnRun, endOwnRun, listOwnRuns } from './store/calibrations/own-runs.ts'
export {
  finishValues,
  type HistoryQuery,
  listLatestValues,
  listValueHistory,
  type QpuCalibration,
  readQpuCalibrations,
  readUnreadReport,
  type StoredValue,
  storeValues,
  type UnreadReport,
} from './store/calibrations/values.ts'
export { listAttempts } from './store/jobs/attempts.ts'
export { assertEnded, deleteJob, removeLargeValue } from './store/jobs/delete-job.ts'
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
} from './store/jobs/dispatch.ts'
export { FairShare } from './store/jobs/fair/fair-share.ts'
export { type Excess, excessOf, fitsQpu, type JobNeeds } from './store/jobs/fits-qpu.ts'
export {
  findResponse,
  findResponseOfKey,
  type KeyedRequest,
  RESPONSE_TTL_MS,
  saveResponse,
} from './store/jobs/idempotency.ts'
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
} from './store/jobs/jobs.ts'
export { type Occupancy, readOccupancy } from './store/jobs/occupancy.ts'
export {
  holdJob,
  type JobAction,
  moveJob,
  moveJobToFront,
  releaseJob,
  requeueJob,
} from './store/jobs/operator-actions.ts'
export { mayRun, type QueueState, readQueue } from './store/jobs/queue.ts'
export {
  type CandidateQueue,
  type QueuePositionInput,
  readNewPosition,
  readQueuePosition,
} from './store/jobs/queue-position.ts'
export { type QueuedJob, type QueueHead, readQueueHead } from './store/jobs/queued-jobs.ts'
export {
  type AttemptResult,
  applyResult,
  type JobError,
  type ResultOutcome,
  requeueLost,
  retryBackoffMs,
} from './store/jobs/results.ts'
export {
  announceSlotStarts,
  announceTimeRequest,
  claimDigest,
  type Digest,
  discardAllDigests,
  finishDigest,
  hasDigests,
  hasSlotStarts,
  listDueDigests,
  postponeDigest,
} from './store/mail/digests.ts'
export { type Gauges, readDiskGauges, readGauges } from './store/maintenance/gauges.ts'
export {
  CANCELLED_PAYLOAD_MS,
  createCancelledPayloadStep,
  pruneJobs,
} from './store/maintenance/job-retention.ts'
export { probeWrites } from './store/maintenance/probe.ts'
export { ReplicatorBacklog } from './store/maintenance/replicator-backlog.ts'
export {
  type PruneStep,
  pruneCalibrationRequests,
  pruneCalibrationResults,
  pruneEvents,
  pruneIdempotencyKeys,
  pruneReadings,
  recordPruning,
} from './store/maintenance/retention.ts'
export { stripCalibrationResult } from './store/maintenance/strip-report.ts'
export {
  beginUserRemoval,
  cancelAbandoned,
  finishUserRemoval,
  listJobsWithoutUser,
  listUnfinishedRemovals,
  type RemovalStep,
  removalSteps,
} from './store/maintenance/user-removal.ts'
export {
  type DescribedLimits,
  describeQpu,
  isSimulator,
  readDescription,
  removeDescription,
} from './store/qpus/descriptions.ts'
export { readFailures, readJobTicks } from './store/qpus/job-ticks.ts'
export {
  attachLease,
  type Grant,
  grantLease,
  type LeaseKey,
  listOfflineDrivers,
  releaseLease,
  resetLeases,
  revokeLease,
} from './store/qpus/leases.ts'
export {
  calibratingQpus,
  createDriver,
  createQpu,
  type Driver,
  deleteQpu,
  findQpu,
  getQpu,
  listQpus,
  type Qpu,
  replaceDriverToken,
  setDraining,
  setDriverEnabled,
  setMaintenance,
  setQpuEnabled,
} from './store/qpus/qpus.ts'
export { readSchedule, readScheduleNotes } from './store/qpus/schedule.ts'
export { markUnfit } from './store/qpus/unfit-jobs.ts'
export { type BucketRange, bucketRange } from './store/readings/reading-steps.ts'
export {
  bucketOf,
  bucketsOf,
  findReadingDrivers,
  listReadingSeries,
  type ReadingBucket,
  readBuckets,
  rollUpReadings,
} from './store/readings/readings.ts'
export { checkAges, checkReadings, hasThresholds } from './store/readings/thresholds.ts'
export {
  type Attempt,
  type DueDelivery,
  type DueWebhook,
  type ListedDelivery,
  listDeliveries,
  listDueDeliveries,
  listDueWebhooks,
  recordAttempt,
  settleWebhook,
} from './store/webhooks/deliveries.ts'
export {
  createWebhook,
  findWebhook,
  hasWebhooks,
  kindsOf,
  listWebhooks,
  queueTestDelivery,
  removeWebhook,
  rotateSecret,
  updateWebhook,
  type Webhook,
} from './store/webhooks/webhooks.ts'
export { csvHead, csvLine, toCsv } from './transfer/csv.ts'
export { exportedKeys, exportedRecord } from './transfer/exported.ts'
export { importRecords } from './transfer/import.ts'
export { toJsonLines } from './transfer/json-lines.ts'
export { eachRecord } from './transfer/pages.ts'
export { openSnapshot, type Snapshot } from './transfer/snapshot.ts'
export { type RecordEncoder, writePage } from './transfer/write-page.ts'
