import {
  AppError,
  type Clock,
  describeBytes,
  KIB,
  type Log,
  type LogFields,
  LogSum,
} from '../../base/index.ts'
import { JsonText } from '../../db/index.ts'
import {
  CALIBRATION_LIMITS,
  EVENT_LIMITS,
  type EventEnvelope,
  type EventName,
  type EventPayload,
  type EventSummary,
  type LargeField,
} from '../../protocol/index.ts'
import { InboundBudget } from '../admission/inbound-budget.ts'
import { COUNTS, RATES } from '../admission/limits.ts'
import { Places } from '../admission/places.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import type { EventParser } from './event-parser.ts'
import { type EventHead, failedReport, failedResult, readHead, TOO_LARGE, unreadable } from './oversize.ts'
import { DROPS, type DroppedEvent, type DropReason, dropByHead, EVENT_TYPES } from './parse-event.ts'

/** A rate-limited event counts once for each part of this size. */
const COUNTED_BYTES = 4 * KIB
/** Smaller messages are copied, so that a few bytes do not keep the whole received chunk in memory. */
const COPIED_BYTES = 8 * KIB

/** The driver that sent an event, and the lease under which it did. */
export interface EventSource {
  driver: string
  name: string
  qpu: string
  operation: string
  epoch: number
}

/** A payload as handlers receive it: its large fields may be JSON texts, with what is known of them. */
export type ReceivedPayload<Name extends EventName> = WithTexts<EventPayload<Name>, LargeField<Name>> & {
  summary?: EventSummary<Name>
}
type WithTexts<Payload, Large> = Payload extends unknown
  ? { [Key in keyof Payload]: Key extends Large ? Payload[Key] | JsonText : Payload[Key] }
  : never

/** Returned by the handler of an event of which nothing was applied; logged like a dropped one. */
interface StaleEvent {
  message: string
  fields: LogFields
}

/** Result of a handler; undefined when the event was applied. */
export type Handled = StaleEvent | undefined

/** Handles one event whose payload matches its declared schema. */
export type EventHandler = (source: EventSource, event: EventEnvelope) => Promise<Handled>

interface ReceiverDependencies {
  source: EventSource
  handle: EventHandler
  parser: Pick<EventParser, 'parse'>
  /** Called with the id of each dropped event that its driver would send again until it is acknowledged. */
  onRejected(event: string): void
  /** Called with the type of an event that the driver does not send again and that could not be applied. */
  onUnapplied(type: string): void
  /** Called with the reason for each dropped event. */
  onDropped(reason: DropReason): void
  /** Events per second; 0 = no limit. */
  rateLimit: () => number
  clock: Clock
  log: Log
}

/** A message that waits, and what was decided about it when it arrived. */
interface Arrival {
  /** Empty for an event that is dropped. */
  body: Uint8Array | 'frames'
  bytes: number
  head?: EventHead | undefined
  /** Why it is dropped. */
  drop?: DroppedEvent | undefined
  /** Give back its places among those that wait. */
  releases: readonly (() => void)[]
}

/**
 * The inbound side of one driver: limits events when they arrive, parses them and passes them to the handler,
 * strictly in order. Telemetry does not wait for the telemetry before it, so that readings that arrive while
 * a slow disk stores others share the next commit and stay current. What exceeds the budget of the driver
 * waits in its socket. Invalid or unknown messages are logged and dropped; the connection stays open, and the
 * driver receives an acknowledgement so that it removes them from its outbox.
 */
export class Receiver {
  readonly #dependencies: ReceiverDependencies
  readonly #budget: InboundBudget
  readonly #telemetry: RateLimiter
  readonly #messages = new Places(COUNTS.driverMessages)
  readonly #bytes = new Places(COUNTS.driverBytes)
  /** Dropped events: at most one line per second, whatever the driver sends. */
  readonly #drops: LogSum
  /** Fields of the last one, which its line has. */
  #lastDrop: LogFields = {}
  readonly #closing = new AbortController()
  #waiting: Arrival[] = []
  /** Telemetry that is being stored. */
  readonly #storing = new Set<Promise<void>>()
  /** Resolves when a message has arrived, or all telemetry is stored. */
  #next = Promise.withResolvers<void>()
  #resume: (() => void) | undefined
  #work: Promise<void> | undefined

  constructor(dependencies: ReceiverDependencies) {
    const { source, clock, log, rateLimit } = dependencies
    this.#dependencies = dependencies
    this.#budget = new InboundBudget(clock)
    const events = () => ({ perSecond: rateLimit(), burst: rateLimit() })
    this.#telemetry = new RateLimiter(RATES.driverEvents.from(events), clock)
    this.#drops = new LogSum({
      clock,
      isFirstWritten: true,
      write: (counts) => log.warn(...dropLine(counts, { driver: source.name, ...this.#lastDrop })),
    })
  }

  /** Whether received messages wait to be processed. */
  get isBusy(): boolean {
    return this.#work !== undefined
  }

  /** Settles when every message accepted so far has been handled. */
  get handled(): Promise<void> {
    return this.#work ?? Promise.resolve()
  }

  /**
   * Accepts one message, or `frames` for one of several frames, which is not an event; false means that the
   * socket must deliver it again after `resume` is called.
   */
  receive(body: Uint8Array | 'frames', resume: () => void): false | undefined {
    if (this.#messages.exceeded('') || this.#bytes.exceeded('', body.length)) {
      this.#resume = resume
      return false
    }
    const releases = [this.#messages.take(''), this.#bytes.take('', body.length)]
    this.#waiting.push({ ...this.#arrivalOf(body), releases })
    this.#next.resolve()
    this.#work ??= this.#processAll()
    return undefined
  }

  /** Decides about surplus now: later, behind a slow disk, all would be within the rate, but late. */
  #arrivalOf(body: Uint8Array | 'frames'): Omit<Arrival, 'releases'> {
    const bytes = body.length
    if (body === 'frames' || bytes > EVENT_LIMITS.acknowledgedBytes) return { body, bytes }
    const head = readHead(body)
    const drop = dropByHead(head, bytes) ?? this.#dropByRate(head?.type, bytes)
    if (drop) return { body: new Uint8Array(), bytes, drop }
    return { body: bytes > COPIED_BYTES ? body : body.slice(), bytes, head }
  }

  /** Handles every message accepted so far without further waits, then resolves. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#work
    this.#drops.stop()
  }

  async #processAll(): Promise<void> {
    for (;;) {
      this.#budget.begin()
      this.#next = Promise.withResolvers()
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        await this.#budget.admit(next.bytes, this.#closing.signal)
        await this.#process(next)
        this.#waiting.shift()
        for (const release of next.releases) release()
        this.#resumeSocket()
      }
      if (this.#storing.size === 0) break
      await this.#next.promise
    }
    this.#work = undefined
  }

  #resumeSocket(): void {
    const resume = this.#resume
    if (!resume || this.#messages.used >= COUNTS.driverMessages.bounds.all / 2) return
    this.#resume = undefined
    resume()
  }

  /** Settles when the telemetry accepted so far is stored. */
  async #stored(): Promise<void> {
    await Promise.all(this.#storing)
  }

  async #process(arrival: Arrival): Promise<void> {
    const event = await this.#read(arrival)
    if (!event) return
    const isTelemetry = EVENT_TYPES.get(event.type)?.log === true
    if (!isTelemetry || this.#storing.size >= COUNTS.driverMessages.bounds.all) await this.#stored()
    const handled = this.#handle(event)
    if (!isTelemetry) return handled
    const stored = handled.then(() => {
      this.#storing.delete(stored)
      if (this.#storing.size === 0) this.#next.resolve()
    })
    this.#storing.add(stored)
  }

  async #handle(event: EventEnvelope): Promise<void> {
    const { handle, log, source } = this.#dependencies
    try {
      const stale = await handle(source, event)
      if (stale) this.#report(stale.message, stale.fields)
    } catch (error) {
      // The database logs a full disk once; the driver sends again what has to arrive.
      const isLoggedByDatabase = error instanceof AppError && error.code === 'storage_full'
      if (!isLoggedByDatabase) log.error('event handler failed', { type: event.type, event: event.id, error })
      if (EVENT_TYPES.get(event.type)?.required) this.#dependencies.onUnapplied(event.type)
    }
  }

  /** The event to handle, which may replace the received one; undefined when it is dropped. */
  async #read({ body, head, drop }: Arrival): Promise<EventEnvelope | undefined> {
    if (body === 'frames') {
      return this.#drop({ drop: 'not_an_event', fields: { reason: 'a message of several frames' } })
    }
    if (drop) return this.#drop(drop)
    if (body.byteLength > EVENT_LIMITS.acknowledgedBytes) {
      const known = readHead(body)
      const fields = { type: known?.type, bytes: body.byteLength, limit: EVENT_LIMITS.acknowledgedBytes }
      return this.#drop({ drop: 'too_large', fields, head: known })
    }
    const outcome = await this.#dependencies.parser.parse(body).catch((error: unknown) => {
      // Not acknowledged: the driver sends it again.
      this.#dependencies.log.error('event could not be parsed', {
        driver: this.#dependencies.source.name,
        error,
      })
    })
    if (!outcome) return undefined
    if ('drop' in outcome) return this.#drop(outcome)
    const { event, large, summary } = outcome
    // A text with two types is limited by the one that counts.
    const late = head?.type === event.type ? undefined : this.#dropByRate(event.type, body.byteLength)
    if (late) return this.#drop(late)
    for (const [name, text] of Object.entries(large)) event.payload[name] = new JsonText(text)
    if (summary !== undefined) event.payload['summary'] = summary
    return event
  }

  /** A large event counts several times: adding its readings to their series costs as much as many events. */
  #dropByRate(type: string | undefined, bytes: number): DroppedEvent | undefined {
    if (type === undefined || !EVENT_TYPES.get(type)?.limited) return undefined
    const count = Math.min(this.#dependencies.rateLimit(), Math.ceil(bytes / COUNTED_BYTES))
    if (this.#telemetry.draw('', count) === 0) return undefined
    return { drop: 'rate_limit', fields: { type } }
  }

  /**
   * An unreadable event stays unreadable: it is acknowledged, or for a task replaced by the failure of that
   * task, so that it ends.
   */
  #drop({ drop, fields, head }: DroppedEvent): EventEnvelope | undefined {
    this.#report(DROPS[drop], fields)
    this.#dependencies.onDropped(drop)
    return head && this.#replacement(head, drop, fields)
  }

  #report(message: string, fields: LogFields): void {
    this.#lastDrop = fields
    this.#drops.add(message)
  }

  #replacement(head: EventHead, drop: DropReason, fields: LogFields): EventEnvelope | undefined {
    const isLarge = drop === 'too_large'
    const reason = isLarge
      ? `it is larger than ${describeBytes(CALIBRATION_LIMITS.reportBytes)}`
      : [fields['field'], fields['reason']].filter(Boolean).join(': ')
    const replacement =
      failedResult(head, isLarge ? TOO_LARGE : unreadable(reason), this.#dependencies) ??
      failedReport(head, reason, this.#dependencies)
    if (!replacement && EVENT_TYPES.get(head.type)?.acknowledged) this.#dependencies.onRejected(head.id)
    return replacement
  }
}

/** The most frequent message; fields of the last event, how many were dropped, and of which kinds. */
function dropLine(counts: Readonly<Record<string, number>>, fields: LogFields): [string, LogFields] {
  const entries = Object.entries(counts)
  const [most = ''] = entries.toSorted(([, one], [, other]) => other - one)[0] ?? []
  const dropped = entries.reduce((sum, [, count]) => sum + count, 0)
  return [most, { ...fields, dropped, ...(entries.length > 1 && { kinds: counts }) }]
}
