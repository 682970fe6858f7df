import type { Migration } from '../migrate.ts'
import { runningQpu } from './0008-running-qpu.ts'
import { jobsInOneRow } from './0009-jobs-in-one-row.ts'
import { sumsWatermark } from './0010-sums-watermark.ts'
import { refunds } from './0011-refunds.ts'
import { refundedUsage } from './0012-refunded-usage.ts'
import { lateResults } from './0013-late-results.ts'
import { operateTokens } from './0014-operate-tokens.ts'
import { chargesInLedger } from './0015-charges-in-ledger.ts'
import { boundsOfReports } from './0016-bounds-of-reports.ts'
import { bytesOfUsers } from './0017-bytes-of-users.ts'
import { touchedJobs } from './0018-touched-jobs.ts'
import { sessionCharges } from './0019-session-charges.ts'
import { heldTimes } from './0020-held-times.ts'
import { sessionTokens } from './0021-session-tokens.ts'
import { requeuedAttempts } from './earlier/0001-requeued-attempts.ts'
import { externalAuthNames } from './earlier/0002-external-auths.ts'
import { userBytes } from './earlier/0003-user-bytes.ts'
import { qpuUsage } from './earlier/0004-qpu-usage.ts'
import { noChangeLog } from './earlier/0005-no-change-log.ts'
import { abortedReports } from './earlier/0006-aborted-reports.ts'
import { jobChecks } from './earlier/0007-job-checks.ts'

/** Every migration, `NNNN-name.ts` in this folder; the first ones in `earlier`. */
export const MIGRATIONS: readonly Migration[] = [
  requeuedAttempts,
  externalAuthNames,
  userBytes,
  qpuUsage,
  noChangeLog,
  abortedReports,
  jobChecks,
  runningQpu,
  jobsInOneRow,
  sumsWatermark,
  refunds,
  refundedUsage,
  lateResults,
  operateTokens,
  chargesInLedger,
  boundsOfReports,
  bytesOfUsers,
  touchedJobs,
  sessionCharges,
  heldTimes,
  sessionTokens,
]
