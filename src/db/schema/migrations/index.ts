import type { Migration } from '../migrate.ts'

import { requeuedAttempts } from './0001-requeued-attempts.ts'
import { externalAuthNames } from './0002-external-auths.ts'
import { userBytes } from './0003-user-bytes.ts'
import { qpuUsage } from './0004-qpu-usage.ts'
import { noChangeLog } from './0005-no-change-log.ts'
import { abortedReports } from './0006-aborted-reports.ts'
import { jobChecks } from './0007-job-checks.ts'
import { runningQpu } from './0008-running-qpu.ts'
import { jobsInOneRow } from './0009-jobs-in-one-row.ts'
import { sumsWatermark } from './0010-sums-watermark.ts'
import { refunds } from './0011-refunds.ts'
import { refundedUsage } from './0012-refunded-usage.ts'
import { lateResults } from './0013-late-results.ts'
import { operateTokens } from './0014-operate-tokens.ts'

/** Every migration, `NNNN-name.ts` in this folder. */
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
]
