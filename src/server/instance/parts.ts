import type { Database } from '../../db/index.ts'
import { JobOrder } from '../../db/store/jobs/index.ts'
import { RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import { AccessAudit } from '../auth/access-audit.ts'
import { AccountLinks } from '../auth/account-links.ts'
import { Accounts } from '../auth/accounts.ts'
import { Logins } from '../auth/logins.ts'
import { Passwords } from '../auth/password.ts'
import { SetUp } from '../auth/set-up.ts'
import type { Config } from '../config/settings.ts'
import type { ServerContext } from '../context.ts'
import { DispatchBackoff } from '../drivers/dispatch-backoff.ts'
import { Hub } from '../drivers/hub.ts'
import { LeaseRelease } from '../drivers/lease-release.ts'
import { callerInSession } from '../http/caller.ts'
import { submissionWorker } from '../jobs/submission/examine.ts'
import { Mailer } from '../mail/mailer.ts'
import { Metrics } from '../metrics/metrics.ts'
import { RequestTimes } from '../metrics/request-times.ts'
import { ServiceWatch } from '../metrics/service-watch.ts'
import { SubmissionThread } from '../programs/submission-thread.ts'
import { Realtime } from '../realtime/realtime.ts'
import { createRefunds } from '../recalls/refunds.ts'
import { createRecordService } from '../records/service.ts'
import { UserRemovals } from '../users/remove-user.ts'
import { Waits } from '../waiting/waits.ts'
import { createWebhooks } from '../webhooks/create.ts'
import type { InstanceDependencies } from './dependencies.ts'

/** What responds to requests and sends to drivers, built on the database; nothing runs yet. */
export async function openParts(config: Config, db: Database, dependencies: InstanceDependencies) {
  const { clock, log, version, live, tls, ports } = dependencies
  const { passwords = new Passwords() } = dependencies
  const leases = new LeaseRelease({ db, clock, log })
  await leases.tryOnce()
  const accounts = await Accounts.open(db, clock)
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
  const identify = (request: Request) => accounts.identify(request)

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
  // The secret of a session opens no stream.
  const identifyStream = async (request: Request) => callerInSession(await identify(request), undefined)
  const realtime = new Realtime({ context, records, identify: identifyStream })
  const waits = new Waits({
    db,
    clock,
    collection: 'quantum_jobs',
    stateOf: (job) => Object(job).status,
  })
  const webhooks = createWebhooks(context)
  const setUp = new SetUp({ db, clock, passwords })
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
  return {
    accounts,
    audit,
    backoff: new DispatchBackoff(clock),
    context,
    hub,
    identify,
    leases,
    links,
    logins,
    mailer,
    metrics,
    passwords,
    publicUrl,
    realtime,
    records,
    refunds: createRefunds({ db, clock, log }),
    removals,
    requests,
    sessionWaits: new Waits({
      db,
      clock,
      collection: 'sessions',
      stateOf: (session) => Object(session).state,
    }),
    setUp,
    submissionThread,
    submissions,
    waits,
    watch: new ServiceWatch({ db, metrics, requests, live, clock, log }),
    webhooks,
  }
}

export type Parts = Awaited<ReturnType<typeof openParts>>
