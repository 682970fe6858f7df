import type { AppError, Clock, FolderLock, Log } from '../../base/index.ts'
import type { Lease } from '../../db/index.ts'
import type { BackupOperations } from '../admin/backups/operations.ts'
import type { LogStore } from '../admin/logs/log-store.ts'
import type { Passwords } from '../auth/password.ts'
import type { SetUp } from '../auth/set-up.ts'
import type { LiveConfig } from '../config/live-config.ts'
import type { ServerContext } from '../context.ts'
import type { DeviceSchemas } from '../drivers/device-routes.ts'
import type { App } from '../http/app.ts'
import type { HttpPorts } from '../http/ports.ts'
import type { AssetTree } from '../http/response/assets.ts'
import type { Route } from '../http/route.ts'
import type { Realtime } from '../realtime/realtime.ts'
import type { CertificateStore } from '../tls/certificate-store.ts'

/** What a server needs besides its configuration. */
export interface ServerDependencies {
  clock: Clock
  log: Log
  version: string
  /** Describes the built-in devices; without it the list of devices is empty. */
  describeDevices?: () => Promise<DeviceSchemas>
  /** The stored log; undefined when it is not stored. */
  logs?: LogStore | undefined
  /** Settings that may change while the server runs; without it they stay. */
  live?: LiveConfig
  /** Hashes passwords; by default with the costs of `Passwords`. */
  passwords?: Passwords
  /** The built web pages, if this build has them. */
  assets: AssetTree | undefined
  /** A commit could not be flushed to disk: the process has to end, see `DatabaseOptions`. */
  onUnflushed?: (error: AppError) => void
  /** The connection to PostgreSQL is lost, so that what it has stored is unknown: the process has to end. */
  onDatabaseLost?: (error: AppError) => void
  /** Longest time in ms of one call of PostgreSQL while the services run; 2 s by default. */
  databasePatienceMs?: number
  /** The database is damaged, which was detected after the start: the process has to end. */
  onDamaged?: (error: AppError) => void
  /** After a restore that failed, the old database could not be opened either: the process has to end. */
  onFailed?: ((error: unknown) => void) | undefined
}

/** What outlives an instance. */
export interface InstanceDependencies extends ServerDependencies {
  live: LiveConfig
  tls: CertificateStore
  ports: HttpPorts
  /** The lock of the data folder. */
  lock: FolderLock
  backups: BackupOperations
  /** The lease of a database that several servers share; it leads. */
  lease?: Lease | undefined
}

/** The services of a server on one open database; a restore replaces the instance. */
export interface Instance {
  readonly context: ServerContext
  /** Every declared route, for the reference. */
  readonly routes: readonly Route[]
  readonly realtime: Realtime
  readonly setUp: SetUp
  /** Responds to requests while the services run. */
  readonly app: App
  /** Starts the services. @throws the error of a service; everything is stopped again by then. */
  start(): Promise<void>
  /** Ends event streams and waits for jobs: all requests can finish after that. */
  endStreams(): void
  /**
   * Stops the services in reverse order and closes the database. Safe before `start` and a second time.
   * @throws the failure of a service, after all others have been stopped.
   */
  stop(): Promise<void>
}
