import { feature } from 'bun:bundle'
import { failpoint } from '../../base/index.ts'
import { appendAudit, isRequeued, isRunning, markStarted, putBack } from '../../db/index.ts'
import {
  EVENTS,
  type EventEnvelope,
  type EventName,
  type EventPayload,
  type HandledEventName,
} from '../../protocol/index.ts'
import type { ServerContext } from '../context.ts'
import type { EventHandler, EventSource } from '../drivers/receive.ts'
import { requeueAbandoned } from '../jobs/abandon.ts'
import type { Deadlines } from '../jobs/deadlines.ts'
import { finishJob } from '../jobs/finish.ts'
import type { Holds } from '../jobs/holds.ts'
import { logEvent } from './log.ts'

/** What the handlers work with. */
export interface HandlerParts {
  context: Pick<ServerContext, 'db' | 'hub' | 'log' | 'config'>
  deadlines: Deadlines
  holds: Holds
}

/** One function for each event type that is not merely logged; a type without entry does not compile. */
type Handlers = {
  [Name in HandledEventName]: (
    parts: HandlerParts,
    source: EventSource,
    payload: EventPayload<Name>,
    event: EventEnvelope,
  ) => Promise<void>
}

const handlers: Handlers = {
  /** First after each attach: what still runs there lives or is stopped, what is nowhere goes back. */
  async DriverHello({ context, deadlines }, source, { running, outbox, device, version }) {
    const { db, log } = context
    const { driver, name } = source
    log.info('driver says hello', { driver: name, device, version, running: running?.job })
    const requeued = await requeueAbandoned(context, source, { running, outbox })
    if (requeued > 0) log.info('jobs put back that the driver came back without', { driver: name, requeued })
    if (!running) return
    const lives = await db.read((tx) => isRunning(tx, { ...running, driver }))
    if (lives) deadlines.alive(running)
    // Taken back while the driver was away: the dispatcher's next job would find it busy.
    else if (await db.read((tx) => isRequeued(tx, running))) {
      context.hub.send(driver, { type: 'StopJob', job: running.job, attempt: running.attempt })
    }
  },

  async JobStarted({ context, deadlines, holds }, { driver }, { job, attempt }) {
    const started = await context.db.write('mark job started', (tx) =>
      markStarted(tx, { job, attempt, driver }),
    )
    if (!started) return
    deadlines.alive({ job, attempt })
    holds.release(driver)
  },

  async JobHeartbeat({ context, deadlines }, { driver }, { job, attempt }) {
    const lives = await context.db.read((tx) => isRunning(tx, { job, attempt, driver }))
    if (lives) deadlines.alive({ job, attempt })
  },

  async JobRefused({ context, holds }, { driver, epoch }, { job, attempt, reason }) {
    // First the pause: the change of the job wakes the dispatcher.
    holds.hold(driver, epoch)
    await context.db.write('put job back', (tx) => putBack(tx, { job, attempt, driver, reason }))
  },

  /** Acknowledged after the commit; when storage fails there is no acknowledgement and the driver sends again. */
  async JobResult({ context, deadlines, holds }, source, payload, event) {
    const { driver } = source
    holds.release(driver)
    const end = await finishJob({ db: context.db, deadlines, config: context.config }, driver, payload)
    if (end.kind === 'foreign') return refuseForeign(context, source, payload)
    context.hub.send(driver, { type: 'EventAck', event: event.id, applied: end.kind === 'applied' })
    if (feature('FAILPOINTS')) failpoint('result.acknowledged')
    const { job, attempt } = payload
    if (end.kind === 'applied') context.log.info('job ended', { job, attempt, status: end.status })
    else context.log.info('stale result not applied', { job, attempt, driver })
  },
}

/** A result of somebody else's attempt: on record, and the connection ends. */
async function refuseForeign(
  { db, hub, log }: HandlerParts['context'],
  { driver }: EventSource,
  { job, attempt }: EventPayload<'JobResult'>,
): Promise<void> {
  log.warn('result of another driver refused', { job, attempt, driver })
  await db.write('audit foreign result', (tx) =>
    appendAudit(tx, { actor: `driver:${driver}`, act: 'result.foreign', subject: job, detail: { attempt } }),
  )
  hub.drop(driver, 'sent the result of another driver')
}

/** The handler that the hub calls with each event, its payload already checked against the declared schema. */
export function createEventHandler(parts: HandlerParts): EventHandler {
  return async (source, event) => {
    const declared = EVENTS.find((each) => each.type === event.type)
    if (!declared) {
      parts.context.log.warn('event dropped: unknown type', { type: event.type })
      return
    }
    if (isHandled(declared.type)) return call(declared.type, parts, source, event)
    await logEvent(parts.context.db, source, event)
  }
}

function isHandled(type: EventName): type is HandledEventName {
  return Object.hasOwn(handlers, type)
}

function call<Name extends HandledEventName>(
  type: Name,
  parts: HandlerParts,
  source: EventSource,
  event: EventEnvelope,
): Promise<void> {
  // The receiver has parsed the payload with the schema declared for this very type.
  return handlers[type](parts, source, event.payload as EventPayload<Name>, event)
}
