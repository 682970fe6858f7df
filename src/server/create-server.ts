import { type AppError, type Clock, type Log, Loop } from '../base/index.ts'
import { type Database, openDatabase } from '../db/index.ts'
import { AccessAudit, clientOf } from './auth/access-audit.ts'
import { AccountLinks } from './auth/account-links.ts'
import { Accounts } from './auth/accounts.ts'
import { Logins } from './auth/logins.ts'
import { Passwords } from './auth/password.ts'
import { SetUp } from './auth/set-up.ts'
import { CalibrationDispatcher } from './calibration/dispatcher.ts'
import { CalibrationRecovery } from './calibration/recover.ts'
import { LiveConfig } from './config/live-config.ts'
import type { Config } from './config/settings.ts'
import type { ServerContext } from './context.ts'
import { DispatchBackoff } from './drivers/dispatch-backoff.ts'
import { Hub } from './drivers/hub.ts'
import { LeaseReset } from './drivers/lease-reset.ts'
import { createEventHandler } from './events/handlers.ts'
import { Pruner } from './events/prune.ts'
import { ReadingRollUp } from './events/roll-up.ts'
import { buildApp } from './http/app.ts'
import { RateLimiter } from './http/limits/rate-limit.ts'
import { HttpPorts } from './http/ports.ts'
import { type AssetTree, serveAssets } from './http/response/assets.ts'
import type { Route } from './http/route.ts'
import { Heartbeats } from './jobs/attempts/heartbeats.ts'
import { JobRecovery } from './jobs/attempts/recover.ts'
import { JobDispatcher } from './jobs/dispatch/dispatcher.ts'
import { submissionWorker } from './jobs/submission/examine.ts'
import { Mailer } from './mail/mailer.ts'
import { Readiness, StorageHealth } from './meta/readiness.ts'
import { Metrics } from './metrics/metrics.ts'
import { SubmissionThread } from './programs/submission-thread.ts'
import { Realtime } from './realtime/realtime.ts'
import { createRecordService } from './records/service.ts'
import { buildRoutes } from './routes.ts'
import { type Service, ServiceList } from './services.ts'
import { openCertificateStore } from './tls/certificate-store.ts'
import { UserRemovals } from './users/remove-user.ts'
import { createLogWatch } from './write-ahead-log.ts'

const RENEWAL_CHECK_MS = 3_600_000

interface ServerDependencies {
  clock: Clock
  log: Log
  version: string
  /** Settings that may change while the server runs; without it they stay. */
  live?: LiveConfig
  /** The built web pages, if this build has them. */
  assets: AssetTree | undefined
  /** A commit could not be flushed to disk: the process has to end, see `DatabaseOptions`. */
  onUnflushed?: (error: AppError) => void
  /** The database is damaged, which was detected after the start: the process has to end. */
  onDamaged?: (error: AppError) => void
}

/** A server that is built but not yet listening. */
export interface Server {
  readonly context: ServerContext
  /** Every declared route, for the reference. */
  readonly routes: readonly Route[]
  /** Event streams: their number, and access to those that await a login. */
  readonly realtime: Pick<Realtime, 'size' | 'reportLogin'>
  /**
   * Starts the services; the ports open last.
   * @throws AppError `unavailable` when a port is taken; everything is stopped again by then.
   */
  start(): Promise<{ url: string; httpsUrl: string | undefined }>
  /** Lines that explain how to create the first superuser; empty when there is one. */
  setUpNotice(): Promise<string[]>
  /**
   * Stops the services in reverse order; running requests finish first. Safe before `start` and a second
   * time.
   * @throws the failure of a service, after all others have been stopped.
   */
  stop(): Promise<void>
}

/**
 * Builds the server from its configuration: opens the database and the certificates, frees all leases.
 * @throws AppError with the remedy when the database or a certificate file cannot be used.
 */
export async function createServer(config: Config, dependencies: ServerDependencies): Promise<Server> {
  const { clock, log, onUnflushed, onDamaged } = dependencies
  // First of all, for its lock of the data folder: two servers must not create certificates at the same time.
  const db = await openDatabase({
    dir: config.dir,
    clock,
    log,
    names: publicNames(config),
    readLimits: {
      readers: config.readers,
      timeoutMs: config.readTimeout,
      superuserTimeoutMs: config.superuserReadTimeout,
    },
    checkpoints: config.checkpoints,
    ...(onUnflushed ? { onUnflushed } : {}),
    ...(onDamaged ? { onDamaged } : {}),
  })
  try {
    return await assemble(config, db, dependencies)
  } catch (error) {
    await db.close()
    throw error
  }
}

/** Builds every part from the parts before it; nothing runs yet. */
async function assemble(config: Config, db: Database, dependencies: ServerDependencies): Promise<Server> {
  const { clock, log, version, assets, live = new LiveConfig(config) } = dependencies
  const tls = await openCertificates(config, { clock, log })
  const leases = new LeaseReset({ db, clock, log })
  await leases.tryOnce()
  const accounts = await Accounts.open(db, clock)
  const identify = (request: Request) => accounts.identify(request)

  const ready = () => leases.done()
  const hub = new Hub({ config, live, db, clock, log, tls, version, ready })
  const submissionThread = new SubmissionThread(submissionWorker, clock)
  const context: ServerContext = { config, live, db, clock, log, hub, tls, submissionThread, version }
  const ports = new HttpPorts(context)
  const publicUrl = () => config.publicUrl.replace(/\/$/, '') || ports.url

  const mailer = config.smtpHost === '' ? undefined : new Mailer(config, { clock, log })
  const passwords = new Passwords()
  const audit = new AccessAudit({ db, clock, log })
  const logins = new Logins({ context, accounts, passwords, audit })
  const removals = new UserRemovals({ db, clock, log })
  const links = new AccountLinks({ context, accounts, mailer, publicUrl })
  const submissions = new RateLimiter(() => live.current.submitRate, clock)
  const records = createRecordService(context, { passwords, logins, removals, submissions, links })
  const realtime = new Realtime({ context, records, identify })
  const metrics = new Metrics({ context, streams: () => realtime.size, drops: () => hub.drops })
  const setUp = new SetUp({ db, clock, passwords })

  const heartbeats = new Heartbeats(clock, config.jobTimeout)
  const backoff = new DispatchBackoff(clock)
  const handleEvent = createEventHandler({ context, heartbeats, backoff })
  const queueLoops = [
    new JobRecovery({ ...context, heartbeats }),
    new JobDispatcher({ ...context, heartbeats, backoff, onSent: (ms) => metrics.sent(ms) }),
    new CalibrationRecovery(context),
    new CalibrationDispatcher({ ...context, backoff }),
  ].map(({ loop }) => loop)
  const renewal = createRenewal(tls, { clock, log })
  const pruner = new Pruner({ db, clock, log: log.child('pruning'), live })
  const rollUp = new ReadingRollUp({ db, clock, log })
  const logWatch = createLogWatch({ db, clock, log })

  const storage = new StorageHealth(db, clock)
  const services: Service[] = [
    { name: 'database', stop: () => db.close(), health: () => storage.check() },
    { name: audit.loop.name, start: () => audit.loop.start(), stop: () => audit.stop() },
    removals,
    { name: 'mailer', stop: () => mailer?.stop() },
    leases.loop,
    { name: 'drivers', start: () => hub.start(handleEvent), stop: () => hub.stop() },
    { name: 'metrics', start: () => metrics.start(), stop: () => metrics.stop() },
    ...queueLoops.map(withHealth),
    renewal,
    { name: 'pruning', start: () => pruner.start(), stop: () => pruner.stop() },
    { name: 'roll-up of readings', start: () => rollUp.start(), stop: () => rollUp.stop() },
    logWatch,
    { name: 'submission thread', stop: () => submissionThread.stop() },
    { name: 'realtime', start: () => realtime.start(), stop: () => realtime.stop() },
  ]
  const readiness = new Readiness([...services, ports])
  const routes = buildRoutes({
    ...{ context, accounts, passwords, logins, links, records, realtime },
    ...{ hub, backoff, metrics, readiness, setUp, submissions },
  })
  const pages = assets ? serveAssets(assets) : undefined
  const app = buildApp({
    ...{ context, routes, identify, pages },
    onCaller: (caller, call) => audit.used(caller, clientOf(call)),
  })
  const list = new ServiceList(
    [
      ...services,
      { name: ports.name, start: () => ports.open(app), stop: () => ports.close() },
      // The last of the list, so that it stops first: ports close only when their requests have ended.
      { name: 'event streams', stop: () => realtime.endStreams() },
    ],
    log,
  )
  return {
    context,
    routes,
    realtime,
    async start() {
      await list.start()
      const { url, httpsUrl } = ports
      log.info('server started', { url, version })
      return { url, httpsUrl }
    },
    setUpNotice: () => setUp.notice(ports.url),
    async stop() {
      await list.stop()
      log.info('server stopped')
    },
  }
}

/** A loop without which the server is not ready. */
function withHealth(loop: Loop): Service {
  return {
    name: loop.name,
    start: () => loop.start(),
    stop: () => loop.stop(),
    health: () => loop.healthProblem(),
  }
}

function openCertificates(config: Config, { clock, log }: Pick<ServerDependencies, 'clock' | 'log'>) {
  const { tlsCaCertFile, tlsCaKeyFile, tlsCertFile, tlsKeyFile, ipAddr, domain } = config
  const files = { caCert: tlsCaCertFile, caKey: tlsCaKeyFile, cert: tlsCertFile, key: tlsKeyFile }
  return openCertificateStore({ files, ipAddr, domain, clock, log })
}

function createRenewal(
  certificates: ServerContext['tls'],
  { clock, log }: Pick<ServerDependencies, 'clock' | 'log'>,
): Loop {
  return new Loop({
    name: 'certificate renewal',
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
