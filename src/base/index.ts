export { Budget } from './admission/budget.ts'
export { type Bounds, FairQueue, type QueueLimits } from './admission/fair-queue.ts'
export { TimeSlice } from './admission/time-slice.ts'
export { TokenBucket } from './admission/token-bucket.ts'
export { Turns } from './admission/turns.ts'
export { openCLibrary } from './c-library.ts'
export { type Clock, systemClock, watchEventLoop } from './clock.ts'
export { type Alarm, Alarms } from './concurrency/alarms.ts'
export { Loop, type LoopStatus } from './concurrency/loop.ts'
export { nextTurn } from './concurrency/next-turn.ts'
export { processorMsOf, threadNumber, withProcessorLimit } from './concurrency/processor-time.ts'
export { RequestThread } from './concurrency/request-thread.ts'
export { withTimeout } from './concurrency/timeout.ts'
export {
  defineWorker,
  type RunningWorker,
  serveWorker,
  startWorker,
  type WorkerEntry,
  wholeBuffer,
} from './concurrency/worker.ts'
export {
  AppError,
  type AppErrorDetails,
  badField,
  type ErrorCode,
  type FieldError,
  messageOf,
  notFound,
  reasonOf,
} from './error.ts'
export { armFailpoint, type Failpoint, failpoint } from './failpoint.ts'
export { becomeOwner, type CallerPaths } from './files/become-owner.ts'
export { flush, flushFolder } from './files/flush.ts'
export { createPrivateFile, createSharedFile, makeFolderPrivate, makePrivate } from './files/private-files.ts'
export { whatFile, whyUnwritable } from './files/what-file.ts'
export { FolderInUseError, type FolderLock, takeFolderLock } from './folder-lock.ts'
export { isId, newId, newSecret, randomBytes, randomFraction, sha256 } from './id.ts'
export {
  contains,
  formatIp,
  type IpAddress,
  type Network,
  networkOf,
  parseIp,
  parseNetwork,
} from './ip-address.ts'
export { createLog, type Log, type LogFormat, type LogLevel, silentLog } from './log.ts'
export { LogSum } from './log-sum.ts'
export { ownCommand } from './own-command.ts'
export { endWithParent } from './parent-watch/parent-watch.ts'
export { textProblem } from './plain-text.ts'
export { Backoff, type BackoffLimits, backoffMs } from './portable/backoff.ts'
export { isObject } from './portable/is-object.ts'
export { meanOf } from './portable/mean.ts'
export { MEDIAN_TO_SIGMA, medianOf } from './portable/median.ts'
export { parseQualityCondition } from './portable/quality-condition.ts'
export { Recent } from './portable/recent.ts'
export { isTimeZone, timeZone, type WallTime } from './portable/time-zone.ts'
export {
  DAY_MS,
  DAY_S,
  GIB,
  HOUR_MS,
  HOUR_S,
  KIB,
  MIB,
  MINUTE_MS,
  MINUTE_S,
  SECOND_MS,
  WEEK_S,
} from './portable/units.ts'
export { DATABASE_KIND, PROGRAM_KINDS, whatContent } from './portable/what-content.ts'
export { describeBytes } from './settings/bytes.ts'
export { formatDuration, parseDuration } from './settings/duration.ts'
export * as kinds from './settings/kinds.ts'
export { nearest } from './settings/nearest.ts'
export {
  describeProblem,
  type GivenFlags,
  readSettings,
  type SettingProblem,
  type SettingSource,
  type SettingsInput,
  type SettingsReading,
} from './settings/read-settings.ts'
export { readValue } from './settings/read-value.ts'
export {
  flag,
  flagOf,
  group,
  repeatableFlag,
  requiredFlag,
  requiredSetting,
  type Setting,
  type SettingsTable,
  setting,
  switchFlag,
  type ValuesOf,
  variableOf,
} from './settings/setting.ts'
export { isUnknownKey, strictKeys, unknownKey } from './settings/unknown-key.ts'
export { expected, ValueError } from './settings/value-error.ts'
export type { ValueKind } from './settings/value-kind.ts'
export { fromLocalTimestamp, fromTimestamp, toTimestamp } from './timestamp.ts'
export {
  assertAwaited,
  type LogFields,
  mustEnd,
  withLogFields,
  workFor,
  workingFor,
} from './work-scope.ts'
