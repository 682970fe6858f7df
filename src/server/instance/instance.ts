import {
  type AppError,
  type Clock,
  type FolderLock,
  HOUR_MS,
  type Log,
  LogSum,
  Loop,
  ownCommand,
} from '../base/index.ts'
import { type Database, type Lease, openDatabase, openServerDatabase } from '../db/index.ts'
import { JobOrder } from '../db/store/jobs/index.ts'
import type { BackupOperations } from './admin/backups/operations.ts'
import { scheduleBackups } from './admin/backups/scheduled-backups.ts'
import type { LogStore } from './admin/logs/log-store.ts'
import { LogTails } from './admin/logs/log-tails.ts'
import { BackgroundTasks } from './admin/tasks/background-tasks.ts'
import { COUNTS, RATES } from './admission/limits.ts'
import { RateLimiter } from './admission/rate-limiter.ts'
import { AccessAudit } from './auth/access-audit.ts'
import { AccountLinks } from './auth/account-links.ts'
import { Accounts } from './auth/accounts.ts'
import { Logins } from './auth/logins.ts'
import { Passwords } from './auth/password.ts'
import { SetUp } from './auth/set-up.ts'
import { createTimeBounds } from './bound-times.ts'
import { CalibrationDispatcher } from './calibration/dispatcher.ts'
import { CalibrationRecovery } from './calibration/recover.ts'
import { ValueRecording } from './calibration/value-recording.ts'
import { databaseServer } from './config/database-server.ts'
import type { LiveConfig } from './config/live-config.ts'
import type { Config } from './config/settings.ts'
import type { ServerContext } from './context.ts'
import type { DeviceSchemas } from './drivers/device-routes.ts'
import { DispatchBackoff } from './drivers/dispatch-backoff.ts'
import { Hub } from './drivers/hub.ts'
import { LeaseRelease } from './drivers/lease-release.ts'
import { createEventHandler } from './events/handlers.ts'
import { Pruner } from './events/prune.ts'
import { ReadingRollUp } from './events/roll-up.ts'
import { createThresholdWatch } from './events/threshold-watch.ts'
import { type App, buildApp } from './http/app.ts'
import type { HttpPorts } from './http/ports.ts'
import { type AssetTree, serveAssets } from './http/response/assets.ts'
import type { Route } from './http/route.ts'
import { Heartbeats } from './jobs/attempts/heartbeats.ts'
import { JobRecovery } from './jobs/attempts/recover.ts'
import { JobDispatcher } from './jobs/dispatch/dispatcher.ts'
import { submissionWorker } from './jobs/submission/examine.ts'
import { JobWaits } from './jobs/waiting/job-waits.ts'
import { DigestSender } from './mail/digest-sender.ts'
import { Mailer } from './mail/mailer.ts'
import { Readiness, StorageHealth } from './meta/readiness.ts'
import { Metrics } from './metrics/metrics.ts'
import { RequestTimes } from './metrics/request-times.ts'
import { ServiceWatch } from './metrics/service-watch.ts'
import { SubmissionThread } from './programs/submission-thread.ts'
import { Realtime } from './realtime/realtime.ts'
import { Refunds } from './recalls/refunds.ts'
import { createRecordService } from './records/service.ts'
import { buildRoutes } from './routes.ts'
import { type Service, ServiceList } from './services.ts'
import type { CertificateStore } from './tls/certificate-store.ts'
import { UserRemovals } from './users/remove-user.ts'
import { createWebhooks } from './webhooks/create.ts'
import { createLogWatch } from './write-ahead-log.ts'

const RENEWAL_CHECK_MS = HOUR_MS

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

/**
 * Opens the database, frees all leases and builds every part of the server.
 * @throws AppError with the remedy when the database cannot be used.
 */
export async function openInstance(config: Config, dependencies: InstanceDependencies): Promise<Instance> {
  const db = await openConfigured(config, dependencies)
  try {
    return await assemble(config, db, dependencies)
  } catch (error) {
    await db.close()
    throw error
  }
}

/** The database in the data folder, or on the server that is configured. */
async function openConfigured(config: Config, dependencies: InstanceDependencies): Promise<Database> {
  const { clock, log, lock, lease, onUnflushed, onDamaged, onDatabaseLost, databasePatienceMs } = dependencies
  const common = {
    clock,
    log,
    names: publicNames(config),
    readLimits: {
      readers: config.readers,
      timeoutMs: config.readTimeout,
      superuserTimeoutMs: config.superuserReadTimeout,
      waiting: COUNTS.waitingReads,
    },
    readerCommand: ownCommand('reader', `${import.meta.dir}/reader-main.ts`),
  }
  const server = databaseServer(config)
  if (server) {
    const isBackedUp = config.backupTaken
    return openServerDatabase({
      ...common,
      server,
      isBackedUp,
      epoch: await lease?.led,
      ...(onDatabaseLost ? { onLost: onDatabaseLost } : {}),
      ...(databasePatienceMs === undefined ? {} : { patienceMs: databasePatienceMs }),
    })
  }
  return openDatabase({
    ...common,
    dir: config.dir,
    lock,
    checkpoints: config.checkpoints,
    replicator: config.acknowledge === 'replicated' ? { socket: config.replicatorSocket } : undefined,
    ...(onUnflushed ? { onUnflushed } : {}),
    ...(onDamaged ? { onDamaged } : {}),
  })
}

/** Builds every part from the parts before it; nothing runs yet. */
async function assemble(config: Config, db: Database, dependencies: InstanceDependencies): Promise<Instance> {
  const { clock, log, version, assets, live, tls, ports, backups } = dependencies
  const { describeDevices = async () => [], passwords = new Passwords() } = dependencies
  const leases = new LeaseRelease({ db, clock, log })
  await leases.tryOnce()
  const accounts = await Accounts.open(db, clock)
  const identify = (request: Request) => accounts.identify(request)

  const hub = new Hub({ config, live, db, clock, log, tls, version, leases })
  const submissionThread = new SubmissionThread(submissionWorker, clock)
  const order = await JobOrder.open(db, {
    fairWindowMs: config.policy === 'fair' ? config.fairWindow : undefined,
  })
  const context: ServerContext = {
    config,
    live,
    db,
    clock,
    log,
    hub,
    tls,
    submissionThread,
    version,
    order,
  }
  const publicUrl = () => config.publicUrl.replace(/\/$/, '') || ports.url

  const mailer = config.smtpHost === '' ? undefined : await Mailer.open(config, { clock, log })
  const audit = new AccessAudit({ db, clock, log })
  const logins = new Logins({ context, accounts, passwords, audit })
  const removals = new UserRemovals({ db, clock, log })
  const links = new AccountLinks({ context, accounts, mailer, publicUrl })
  const submissions = new RateLimiter(
    RATES.submissions.from(() => live.current.submitRate),
    clock,
  )
  const records = createRecordService(context, { passwords, logins, removals, submissions, links })
  const realtime = new Realtime({ context, records, identify })
  const waits = new JobWaits({ db, clock })
  const webhooks = createWebhooks(context)
  const requests = new RequestTimes(clock)
  const metrics = new Metrics({
    context,
    errorShare: () => requests.errorShare(),
    streams: () => realtime.size,
    waits: () => waits.size,
    drops: () => hub.drops,
    halfAttached: () => hub.listHalfAttached(),
    webhookAttempts: () => webhooks.deliverer.outcomes,
  })
  const watch = new ServiceWatch({ db, metrics, requests, live, clock, log })
  const digests = new DigestSender({ db, clock, log, mailer, siteName: config.siteName, publicUrl })
  const setUp = new SetUp({ db, clock, passwords })

  const heartbeats = new Heartbeats(clock, config.jobTimeout)
  const backoff = new DispatchBackoff(clock)
  const jobLog = new LogSum({ clock, write: (counts) => log.info('jobs', counts) })
  const handleEvent = createEventHandler({
    context,
    heartbeats,
    backoff,
    onEnded: (status) => jobLog.add(status),
  })
  const onSent = (ms: number) => {
    metrics.sent(ms)
    jobLog.add('dispatched')
  }
  const queueLoops = [
    new JobRecovery({ ...context, heartbeats }),
    new JobDispatcher({ ...context, heartbeats, backoff, onSent }),
    new CalibrationRecovery(context),
    new CalibrationDispatcher({ ...context, heartbeats, backoff }),
  ].map(({ loop }) => loop)
  const schedule = scheduleBackups({ config, operations: backups, clock, log: log.child('backups') })
  const renewal = createRenewal(tls, { clock, log })
  const pruner = new Pruner({ db, clock, log: log.child('pruning'), live })
  const rollUp = new ReadingRollUp({ db, clock, log })
  const values = new ValueRecording({ db, clock, log })
  const refunds = new Refunds({ db, clock, log })
  const logWatch = db.files && createLogWatch({ files: db.files, clock, log })

  const storage = new StorageHealth(db, clock)
  const services: Service[] = [
    { name: 'database', stop: () => db.close(), health: () => storage.check() },
    loopService(audit.loop, () => audit.stop()),
    removals,
    { name: 'mailer', stop: () => mailer?.stop() },
    leases.loop,
    { name: 'job log', stop: () => jobLog.stop() },
    {
      name: 'drivers',
      start: () => hub.start(handleEvent),
      stop: () => hub.stop(),
      health: () => hub.healthProblem(),
    },
    { name: 'metrics', start: () => metrics.start(), stop: () => metrics.stop() },
    ...queueLoops.map(withHealth),
    loopService(digests.loop, () => digests.stop()),
    loopService(webhooks.deliverer.loop, () => webhooks.deliverer.stop()),
    renewal,
    ...(schedule ? [schedule] : []),
    pruner,
    rollUp,
    createTimeBounds({ db, clock, log }),
    createThresholdWatch({ db, clock, log }),
    loopService(watch.loop, () => watch.loop.stop()),
    loopService(values.loop, () => values.stop()),
    loopService(refunds.loop, () => refunds.stop()),
    ...(logWatch ? [logWatch] : []),
    { name: 'waiting requests', start: () => waits.start(), stop: () => waits.stop() },
    { name: 'submission thread', stop: () => submissionThread.stop() },
    { name: 'realtime', start: () => realtime.start(), stop: () => realtime.stop() },
  ]
  const readiness = new Readiness([
    ...services,
    ports,
    { name: 'replicator', health: () => db.files?.replicationFailure?.reason },
  ])
  const tasks = new BackgroundTasks(services)
  const tails = new LogTails(clock)
  const routes = buildRoutes({
    context,
    accounts,
    passwords,
    logins,
    links,
    records,
    realtime,
    hub,
    backoff,
    metrics,
    watch,
    readiness,
    refunds,
    setUp,
    submissions,
    waits,
    backups,
    tasks,
    logs: dependencies.logs,
    tails,
    describeDevices,
    webhooks,
    publicUrl,
  })
  const pages = assets ? serveAssets(assets) : undefined
  const app = buildApp({
    context,
    routes,
    identify,
    knownCaller: (request) => accounts.knownCaller(request),
    pages,
    onFinished: (finished) => requests.add(finished),
    onCaller: (caller, call) => audit.used(caller, call),
  })
  const list = new ServiceList(services, log)
  return {
    context,
    routes,
    realtime,
    setUp,
    app,
    start: () => list.start(),
    endStreams() {
      realtime.endStreams()
      tails.endAll()
      waits.stop()
    },
    stop: () => list.stop(),
  }
}

/** A loop whose end takes more than its own. */
function loopService(loop: Loop, stop: () => Promise<void>): Service {
  return { name: loop.name, loop, start: () => loop.start(), stop }
}

/** A loop without which the server is not ready. */
function withHealth(loop: Loop): Service {
  return {
    name: loop.name,
    loop,
    start: () => loop.start(),
    stop: () => loop.stop(),
    health: () => loop.healthProblem(),
  }
}

function createRenewal(
  certificates: ServerContext['tls'],
  { clock, log }: Pick<ServerDependencies, 'clock' | 'log'>,
): Loop {
  return new Loop({
    name: 'certificate renewal',
    summary: 'Renew the server certificate when it is due',
    clock,
    log,
    intervalMs: RENEWAL_CHECK_MS,
    runOnce: async () => void (await certificates.renewIfDue()),
  })
}

/** The configured addresses of collections. */
export function publicNames(config: Config) {
  return {
    qpus: config.qpusCollection,
    time_slots: config.timeslotsCollection,
    quantum_jobs: config.jobsCollection,
    api_tokens: config.apiTokensCollection,
    notifications: config.notificationsCollection,
    qpu_time_requests: config.qpuTimeRequestsCollection,
  }
}
