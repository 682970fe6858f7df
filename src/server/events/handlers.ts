import { feature } from 'bun:bundle'
import { failpoint } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import { type AuditEntry, appendAudit } from '../../db/journal/index.ts'
import {
  isRequeuedAttempt,
  isRunningAttempt,
  markStarted,
  requeueUndelivered,
} from '../../db/store/jobs/index.ts'
import { removeDescription } from '../../db/store/qpus/index.ts'
import { events } from '../../db/store/readings/index.ts'
import type { EventEnvelope, HandledEventName } from '../../protocol/index.ts'
import { finishCalibration } from '../calibration/report.ts'
import {
  beginOwn,
  confirmStart,
  reconcileTuner,
  requeueRefused,
  trackProgress,
} from '../calibration/track-run.ts'
import type { ServerContext } from '../context.ts'
import type { DispatchBackoff } from '../drivers/dispatch-backoff.ts'
import type { EventHandler, EventSource, Handled, ReceivedPayload } from '../drivers/receive.ts'
import { finishJob } from '../jobs/attempts/finish.ts'
import type { Heartbeats } from '../jobs/attempts/heartbeats.ts'
import { noteProgress } from '../jobs/attempts/progress.ts'
import { requeueAbandoned } from '../jobs/attempts/requeue-abandoned.ts'
import { storeDescription } from '../qpus/describe.ts'

/** What the handlers of events work with. */
interface HandlerDependencies {
  context: Pick<ServerContext, 'db' | 'hub' | 'log' | 'config' | 'order'>
  heartbeats: Heartbeats
  backoff: DispatchBackoff
  /** Called for each result that was applied or discarded, with the status it ends its job with. */
  onEnded?: (status: string) => void
}

/** One function for each event type that is not only logged; a missing entry is a compile error. */
type Handlers = {
  [Name in HandledEventName]: (
    dependencies: HandlerDependencies,
    source: EventSource,
    payload: ReceivedPayload<Name>,
    event: EventEnvelope,
  ) => Promise<Handled>
}

const handlers: Handlers = {
  async CalibrationStarted({ context, backoff }, source, { run_id, request_id, waits = false }) {
    const { driver } = source
    if (request_id === null) return void (await beginOwn(context, source, { run: run_id, waits, backoff }))
    backoff.clear(driver)
    await confirmStart(context, driver, run_id)
  },

  async CalibrationRefused({ context, backoff }, { driver, epoch }, { run_id }) {
    // The back-off comes first, because the change of the request wakes the dispatcher.
    backoff.penalize(driver, epoch)
    await requeueRefused(context, driver, run_id)
  },

  async CalibrationProgress({ context }, { driver }, progress) {
    await trackProgress(context, driver, progress)
  },

  /** Acknowledged after the commit, like a result. */
  async CalibrationReport({ context, backoff }, source, payload, event) {
    const { driver } = source
    backoff.clear(driver)
    const end = await finishCalibration(context, source, payload)
    const { run_id: run, status } = payload
    if (end === 'foreign') {
      const foreign = { action: 'report.foreign', subject: payload.request_id ?? '', detail: { run } }
      return refuseForeign(context, source, foreign)
    }
    acknowledge(context, driver, { event: event.id, applied: end !== 'stale' })
    if (end === 'stale') return { message: 'stale report not applied', fields: { run } }
    context.log.info('calibration reported', { run, driver, status, end })
    return undefined
  },

  async DeviceDescription({ context }, { driver, name, qpu, epoch }, payload) {
    const isStored = await storeDescription(context.db, { qpu, driver, epoch }, payload)
    if (isStored) context.log.info('device described', { driver: name })
    else return { message: 'description of an older lease ignored', fields: { driver: name, epoch } }
    return undefined
  },

  /**
   * First event after each attach: what the driver runs continues or is stopped, what it lost is requeued.
   */
  async DriverHello({ context, heartbeats, backoff }, source, hello) {
    const { db, log } = context
    const { driver, name } = source
    const { running, outbox, device, version, run_id, own_run } = hello
    log.info('driver hello received', {
      driver: name,
      device,
      version,
      running: running?.job ?? run_id ?? own_run,
    })
    // A job that was requeued in the meantime should end by the result on its way rather than run again.
    if (outbox && outbox.length > 0) backoff.penalize(driver, source.epoch)
    await reconcileTuner(context, source, hello)
    // Another device, or an older driver: what was described before no longer holds.
    if (!hello.describes && source.operation === 'process')
      await db.write('remove description', (tx) => removeDescription(tx, source))
    const requeued = await requeueAbandoned({ ...context, heartbeats }, source, { running, outbox })
    if (requeued > 0)
      log.info('requeued jobs that the driver reconnected without', { driver: name, requeued })
    if (!running) return
    const isRunning = await db.read((tx) => isRunningAttempt(tx, { ...running, driver }))
    if (isRunning) heartbeats.record(running, running.limit_ms)
    // Requeued by an operator while the driver was disconnected: it would refuse the next job as busy.
    else if (await db.read((tx) => isRequeuedAttempt(tx, running))) {
      context.hub.send(driver, { type: 'StopJob', job: running.job, attempt: running.attempt })
    }
  },

  async JobStarted({ context, heartbeats, backoff }, { driver }, { job, attempt, limit_ms }) {
    const started = await context.db.write('mark job started', (tx) =>
      markStarted(tx, { job, attempt, driver }),
    )
    if (!started) return
    heartbeats.record({ job, attempt }, limit_ms)
    backoff.clear(driver)
  },

  async JobHeartbeat({ context, heartbeats }, { driver }, { job, attempt }) {
    const isRunning = await context.db.read((tx) => isRunningAttempt(tx, { job, attempt, driver }))
    if (isRunning) heartbeats.record({ job, attempt })
  },

  /** Not sent again: what is lost is missing until the job ends. */
  async JobProgress({ context }, source, payload) {
    const noted = await noteProgress(context.db, source, payload)
    const { job, attempt } = payload
    if (noted.kind !== 'refused') return undefined
    return { message: 'results of single circuits refused', fields: { job, attempt, reason: noted.reason } }
  },

  async JobRefused({ context, backoff }, { driver, epoch }, { job, attempt, reason }) {
    // The back-off comes first, because the change of the job wakes the dispatcher.
    backoff.penalize(driver, epoch)
    await context.db.write('put job back', (tx) => requeueUndelivered(tx, { job, attempt, driver, reason }))
  },

  /**
   * Acknowledged after the commit; if it cannot be stored, there is no acknowledgement and the driver resends
   * it.
   */
  async JobResult({ context, heartbeats, backoff, onEnded }, source, payload, event) {
    const { driver } = source
    backoff.clear(driver)
    const end = await finishJob({ ...context, heartbeats }, source, payload)
    const { job, attempt } = payload
    if (end.kind === 'foreign') {
      return refuseForeign(context, source, { action: 'result.foreign', subject: job, detail: { attempt } })
    }
    acknowledge(context, driver, {
      event: event.id,
      applied: end.kind === 'applied',
      ...(end.kind === 'unknown' && { reason: 'unknown_job' }),
    })
    if (feature('FAILPOINTS')) failpoint('result.acknowledged')
    if (end.kind === 'unknown')
      return { message: 'result of an unknown job refused', fields: { job, attempt } }
    if (end.kind === 'stale') return { message: 'stale result not applied', fields: { job, attempt } }
    if (end.refused !== undefined)
      context.log.warn('results refused', { job, attempt, driver, reason: end.refused })
    context.log.debug('job ended', { job, attempt, driver, status: end.status })
    onEnded?.(end.status)
    return undefined
  },
}

/**
 * Confirms to the driver that its event is stored, so that it forgets it; with `--acknowledge replicated`
 * when another machine has it. Later events do not wait. A driver that is gone by then sends the event again.
 */
function acknowledge(
  { db, hub }: Pick<ServerContext, 'db' | 'hub'>,
  driver: string,
  ack: { event: string; applied: boolean; reason?: 'unknown_job' },
): void {
  const send = () => void hub.send(driver, { type: 'EventAck', ...ack })
  const replicated = db.files?.replicated()
  // It rejects when the service stops.
  if (replicated === undefined) send()
  else void replicated.then(send, () => undefined)
}

/**
 * Refuses the result of a task of another driver: records it in the audit log and disconnects.
 */
async function refuseForeign(
  { db, hub, log }: HandlerDependencies['context'],
  { driver }: EventSource,
  foreign: Omit<AuditEntry, 'actor'>,
): Promise<undefined> {
  log.warn('result of another driver refused', { driver, subject: foreign.subject, ...foreign.detail })
  await db.write('audit foreign result', (tx) => appendAudit(tx, { actor: `driver:${driver}`, ...foreign }))
  hub.disconnect(driver, 'sent the result of another driver')
}

/**
 * The handler that the hub calls with each event. The receiver has dropped those of unknown types and those
 * whose payload does not match the declared schema.
 */
export function createEventHandler(dependencies: HandlerDependencies): EventHandler {
  return async (source, event) => {
    if (isHandled(event.type)) return call(event.type, dependencies, source, event)
    await logEvent(dependencies.context.db, source, event)
    return undefined
  }
}

function isHandled(type: string): type is HandledEventName {
  return Object.hasOwn(handlers, type)
}

function call<Name extends HandledEventName>(
  type: Name,
  dependencies: HandlerDependencies,
  source: EventSource,
  event: EventEnvelope,
): Promise<Handled> {
  // The receiver has parsed the payload with the schema of this type.
  return handlers[type](dependencies, source, event.payload as ReceivedPayload<Name>, event)
}

/** Stores an event in the log as received. */
async function logEvent(db: Database, source: EventSource, event: EventEnvelope): Promise<void> {
  await db.write('log event', (tx) =>
    tx.insert(events, {
      source: source.name,
      driver: source.driver,
      qpu: source.qpu,
      type: event.type,
      payload: event.payload,
      ts: event.ts,
    }),
  )
}
