import { HOUR_MS, LogSum, Loop } from '../../base/index.ts'
import { scheduleBackups } from '../admin/backups/scheduled-backups.ts'
import { createTimeBounds } from '../bound-times.ts'
import { CalibrationDispatcher } from '../calibration/dispatcher.ts'
import { CalibrationRecovery } from '../calibration/recover.ts'
import { createValueRecording } from '../calibration/value-recording.ts'
import type { ServerContext } from '../context.ts'
import { createEventHandler } from '../events/handlers.ts'
import { Pruner } from '../events/prune.ts'
import { createReadingRollUp } from '../events/roll-up.ts'
import { createThresholdWatch } from '../events/threshold-watch.ts'
import { Heartbeats } from '../jobs/attempts/heartbeats.ts'
import { JobRecovery } from '../jobs/attempts/recover.ts'
import { JobDispatcher } from '../jobs/dispatch/dispatcher.ts'
import { DigestSender } from '../mail/digest-sender.ts'
import { StorageHealth } from '../meta/readiness.ts'
import type { Service } from '../services.ts'
import { SessionClock } from '../sessions/session-clock.ts'
import { createLogWatch } from '../write-ahead-log.ts'
import type { InstanceDependencies } from './dependencies.ts'
import type { Parts } from './parts.ts'

const RENEWAL_CHECK_MS = HOUR_MS

/**
 * Everything that runs, in the order of the starts: each may use those before it, which stop after it.
 */
export function listServices(parts: Parts, { tls, backups }: InstanceDependencies): Service[] {
  const { context, audit, hub, leases, mailer, metrics, publicUrl, realtime, refunds, removals } = parts
  const { sessionWaits, submissionThread, waits, watch, webhooks } = parts
  const { config, db, clock, live, log } = context
  const { handleEvent, jobLog, loops, sessions } = createJobPath(parts)
  const storage = new StorageHealth(db, clock)
  const digests = new DigestSender({ db, clock, log, mailer, siteName: config.siteName, publicUrl })
  const schedule = scheduleBackups({ config, operations: backups, clock, log: log.child('backups') })
  const logWatch = db.files && createLogWatch({ files: db.files, clock, log })
  return [
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
    { ...withHealth(sessions.loop), start: () => sessions.start() },
    ...loops.map(withHealth),
    loopService(digests.loop, () => digests.stop()),
    loopService(webhooks.deliverer.loop, () => webhooks.deliverer.stop()),
    createRenewal(tls, { clock, log }),
    ...(schedule ? [schedule] : []),
    new Pruner({ db, clock, log: log.child('pruning'), live }).loop,
    createReadingRollUp({ db, clock, log }),
    createTimeBounds({ db, clock, log }),
    createThresholdWatch({ db, clock, log }),
    watch.loop,
    createValueRecording({ db, clock, log }),
    refunds,
    ...(logWatch ? [logWatch] : []),
    { name: 'waiting requests', start: () => waits.start(), stop: () => waits.stop() },
    {
      name: 'requests that wait for sessions',
      start: () => sessionWaits.start(),
      stop: () => sessionWaits.stop(),
    },
    { name: 'submission thread', stop: () => submissionThread.stop() },
    { name: 'realtime', start: () => realtime.start(), stop: () => realtime.stop() },
  ]
}

/** What dispatches jobs and calibrations, and applies what drivers report. */
function createJobPath({ context, backoff, metrics }: Parts) {
  const { config, clock, log } = context
  const heartbeats = new Heartbeats(clock, config.jobTimeout)
  const jobLog = new LogSum({ clock, write: (counts) => log.info('jobs', counts) })
  const onSent = (ms: number) => {
    metrics.sent(ms)
    jobLog.add('dispatched')
  }
  const loops = [
    new JobRecovery({ ...context, heartbeats }),
    new JobDispatcher({ ...context, heartbeats, backoff, onSent }),
    new CalibrationRecovery(context),
    new CalibrationDispatcher({ ...context, heartbeats, backoff }),
  ].map(({ loop }) => loop)
  const onEnded = (status: string) => jobLog.add(status)
  const sessions = new SessionClock(context)
  return {
    jobLog,
    loops,
    sessions,
    handleEvent: createEventHandler({ context, heartbeats, backoff, onEnded }),
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
  { clock, log }: Pick<InstanceDependencies, 'clock' | 'log'>,
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
