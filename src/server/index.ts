import { type AppError, type Clock, type Log, Loop } from '../base/index.ts'
import { openDatabase, resetLeases } from '../db/index.ts'
import { AccountLinks } from './auth/account-links.ts'
import { accountRoutes } from './auth/account-routes.ts'
import { Accounts } from './auth/accounts.ts'
import { Passwords } from './auth/password.ts'
import { SetUp } from './auth/set-up.ts'
import { bookingRoutes } from './bookings/routes.ts'
import { CalibrationDispatcher } from './calibration/dispatch.ts'
import { CalibrationRecovery } from './calibration/recover.ts'
import { calibrationRoutes } from './calibration/routes.ts'
import type { Config } from './config/config.ts'
import { LiveConfig } from './config/live-config.ts'
import type { ServerContext } from './context.ts'
import { Holds } from './drivers/holds.ts'
import { Hub } from './drivers/hub.ts'
import { driverRoutes } from './drivers/routes.ts'
import { createEventHandler } from './events/handlers.ts'
import { Pruner } from './events/prune.ts'
import { ReadingRollUp } from './events/roll-up.ts'
import { eventRoutes } from './events/routes.ts'
import { buildApp } from './http/app.ts'
import { RateLimiter } from './http/limits/rate-limit.ts'
import { openApiRoute } from './http/openapi.ts'
import { HttpPorts } from './http/ports.ts'
import { type AssetTree, serveAssets } from './http/response/assets.ts'
import type { Route } from './http/route.ts'
import { Deadlines } from './jobs/deadlines.ts'
import { Dispatcher } from './jobs/dispatch.ts'
import { jobOperatorRoutes } from './jobs/operate.ts'
import { Recovery } from './jobs/recover.ts'
import { jobRoutes } from './jobs/routes.ts'
import { Mailer } from './mail/mailer.ts'
import { Readiness } from './meta/readiness.ts'
import { metaRoutes } from './meta/routes.ts'
import { Metrics } from './metrics/metrics.ts'
import { metricsRoutes } from './metrics/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { ProgramChecker } from './programs/checker.ts'
import { qpuRoutes } from './qpus/routes.ts'
import { Realtime } from './realtime/realtime.ts'
import { recordRoutes } from './records/routes.ts'
import { createRecordService } from './records/service.ts'
import { openTls } from './tls/certificate-store.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { userRoutes } from './users/routes.ts'
import { createLogWatch } from './write-ahead-log.ts'

export { checkPassword, Passwords } from './auth/password.ts'
export { type Config, flagOf, readConfig, SETTINGS, variableOf } from './config/config.ts'
export { LiveConfig, RELOADABLE, type Reload } from './config/live-config.ts'
export type { ServerContext } from './context.ts'
export { shapesOf } from './http/openapi.ts'
export type { Asset, AssetTree, Representation } from './http/response/assets.ts'
export { readSubmission } from './jobs/read-submission.ts'
export { asRecorded, CLASSES, type Figures, Judge } from './simulate/figures.ts'
export { POLICIES, type Policy } from './simulate/policies.ts'
export { replay } from './simulate/replay.ts'

const RENEWAL_CHECK_MS = 3_600_000

interface ServerParts {
  clock: Clock
  log: Log
  version: string
  /** Settings that may change while the server runs; without it they stay. */
  live?: LiveConfig
  /** The built web pages, if this build has them. */
  assets: AssetTree | undefined
  /** A commit could not be flushed to disk: the process has to end, see `DatabaseOptions`. */
  onUnflushed?: (error: AppError) => void
  /** The database is damaged, which only showed after the start: the process has to end. */
  onDamaged?: (error: AppError) => void
}

/** A server that is built but not yet listening. */
export interface Server {
  readonly context: ServerContext
  /** Every declared route, for the reference. */
  readonly routes: readonly Route[]
  /** Event streams: how many are open, and the way to those that await a login. */
  readonly realtime: Pick<Realtime, 'size' | 'tellLogin'>
  /** Opens the ports and starts the loops. */
  start(): Promise<{ url: string; httpsUrl: string | undefined }>
  /** Lines that tell how to create the first superuser; empty when there is one. */
  setUpNotice(): Promise<string[]>
  /** Closes everything in reverse order; running requests finish first. */
  stop(): Promise<void>
}

/**
 * Builds the server from its configuration: opens the database and the certificates, frees all leases.
 * @throws AppError with the remedy when the database or a certificate file cannot be used.
 */
export async function createServer(config: Config, parts: ServerParts): Promise<Server> {
  const { clock, log, version, live = new LiveConfig(config) } = parts
  // The lock of the data folder comes first: two servers must not make certificates at the same time.
  const db = await openDatabase({
    dir: config.dir,
    clock,
    log,
    names: publicNames(config),
    ...(parts.onUnflushed ? { onUnflushed: parts.onUnflushed } : {}),
    ...(parts.onDamaged ? { onDamaged: parts.onDamaged } : {}),
  })
  const tls = await openCertificates(config, { clock, log }).catch(async (error: unknown) => {
    await db.close()
    throw error
  })
  await resetLeases(db)
  const accounts = await Accounts.open(db, clock)
  const passwords = new Passwords()
  const hub = new Hub({ config, live, db, clock, log, tls, version })
  const checker = new ProgramChecker()
  const context: ServerContext = { config, live, db, clock, log, hub, tls, checker, version }
  const deadlines = new Deadlines(clock, config.jobTimeout)
  const holds = new Holds(clock)
  const onSent = (ms: number) => metrics.sent(ms)
  const queueLoops = [
    new Recovery({ ...context, deadlines }).loop,
    new Dispatcher({ ...context, deadlines, holds, onSent }).loop,
    new CalibrationRecovery(context).loop,
    new CalibrationDispatcher({ ...context, holds }).loop,
  ]
  hub.start(createEventHandler({ context, deadlines, holds }))
  let url = ''
  const mailer = config.smtpHost === '' ? undefined : new Mailer(config, { clock, log })
  const publicUrl = () => config.publicUrl.replace(/\/$/, '') || url
  const links = new AccountLinks({ context, accounts, mailer, publicUrl })
  const submissions = new RateLimiter(() => live.current.submitRate, clock)
  const records = createRecordService(context, { passwords, submissions, links })
  const setUp = new SetUp({ db, clock, passwords })
  const identify = (request: Request) => accounts.identify(request)
  const realtime = new Realtime({ context, records, identify })
  const metrics = new Metrics({ context, streams: () => realtime.size, drops: () => hub.drops })
  const readiness = new Readiness({
    db,
    clock,
    vitals: [{ name: 'ports', ailment: () => ports.ailment() }, ...queueLoops],
  })
  const routes: Route[] = [
    ...metaRoutes(readiness),
    ...metricsRoutes(metrics),
    ...accountRoutes({
      context,
      accounts,
      passwords,
      links,
      userCreation: records,
      tellLogin: (...login) => realtime.tellLogin(...login),
    }),
    ...userRoutes,
    ...tokenRoutes,
    ...qpuRoutes,
    ...driverRoutes(hub),
    ...jobRoutes(submissions),
    ...jobOperatorRoutes(holds),
    ...calibrationRoutes,
    ...recordRoutes(records),
    ...notificationRoutes,
    ...bookingRoutes,
    ...eventRoutes,
    ...setUp.routes(),
    ...realtime.routes(),
  ]
  routes.push(openApiRoute(routes))
  const app = buildApp({
    context,
    routes,
    identify,
    pages: parts.assets ? serveAssets(parts.assets) : undefined,
  })
  const ports = new HttpPorts(context, app)
  const pruner = new Pruner({ db, clock, log: log.child('pruning'), live })
  const logWatch = createLogWatch({ db, clock, log })
  const rollUp = new ReadingRollUp({ db, clock, log })
  const renewal = new Loop({
    name: 'certificate renewal',
    clock,
    log,
    intervalMs: RENEWAL_CHECK_MS,
    runOnce: async () => void (await tls.renewIfDue()),
  })
  return {
    context,
    routes,
    realtime,
    async start() {
      await metrics.start()
      for (const loop of queueLoops) loop.start()
      renewal.start()
      pruner.start()
      rollUp.start()
      logWatch.start()
      realtime.start()
      const addresses = await ports.open()
      url = addresses.url
      log.info('server started', { url, version })
      return addresses
    },
    setUpNotice: () => setUp.notice(url),
    async stop() {
      await realtime.stop()
      await ports.close()
      checker.stop()
      await logWatch.stop()
      await rollUp.stop()
      await pruner.stop()
      await renewal.stop()
      for (const loop of queueLoops.toReversed()) await loop.stop()
      metrics.stop()
      await hub.stop()
      await mailer?.stop()
      await db.close()
      log.info('server stopped')
    },
  }
}

function openCertificates(config: Config, { clock, log }: Pick<ServerParts, 'clock' | 'log'>) {
  const { tlsCaCertFile, tlsCaKeyFile, tlsCertFile, tlsKeyFile, ipAddr, domain } = config
  const files = { caCert: tlsCaCertFile, caKey: tlsCaKeyFile, cert: tlsCertFile, key: tlsKeyFile }
  return openTls({ files, ipAddr, domain, clock, log })
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
