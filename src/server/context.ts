import type { Clock, Log } from '../base/index.ts'
import type { Database } from '../db/index.ts'
import type { JobOrder } from '../db/store/jobs/index.ts'
import type { LiveConfig } from './config/live-config.ts'
import type { Config } from './config/settings.ts'
import type { DriverHub } from './driver-hub.ts'
import type { SubmissionThread } from './programs/submission-thread.ts'
import type { CertificateStore } from './tls/certificate-store.ts'

/** What every feature of the server works with; built once in `instance.ts` for each database in service. */
export interface ServerContext {
  readonly config: Config
  /** The settings that a reload can change. */
  readonly live: LiveConfig
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly hub: DriverHub
  /** The queued jobs of all QPUs in order. */
  readonly order: JobOrder
  readonly tls: CertificateStore
  /** Examines large submissions. */
  readonly submissionThread: SubmissionThread
  /** `{year}.{month}.{patch}` of this build. */
  readonly version: string
}
