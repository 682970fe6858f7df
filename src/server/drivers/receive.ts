import * as v from 'valibot'
import { AppError, type Clock, type Log, type LogFields, messageOf } from '../../base/index.ts'
import { EVENTS, type EventEnvelope, type EventType, eventEnvelope } from '../../protocol/index.ts'
import { assertWithinJsonLimits, type JsonLimits } from '../http/limits/json-shape.ts'
import { type EventHead, failedReport, failedResult, readHead } from './oversize.ts'
import { EventRateLimit } from './rate-limit.ts'

/** Bytes of an ordinary event, and of one that carries results or a report. */
const MAX_EVENT_BYTES = 64 * 1024
const MAX_RESULT_BYTES = 33 * 1024 * 1024
/** The raw data of a result are flat; deeper nesting would exhaust the stack when they are serialized. */
const EVENT_SHAPE: JsonLimits = {
  ...{ subject: 'event', depth: 64 },
  ...{ keys: 1_000_000, parts: 10_000_000, values: 10_000_000 },
}
/** Events of one driver that may wait for their handler before its socket is paused. */
const MAX_PENDING_EVENTS = 64

/** The driver that sent an event, and the lease under which it did. */
export interface EventSource {
  driver: string
  name: string
  qpu: string
  operation: string
  epoch: number
}

/** Handles one event whose payload matches its declared schema. */
export type EventHandler = (source: EventSource, event: EventEnvelope) => Promise<void>

const DROPS = {
  too_large: 'event dropped: too large',
  not_an_event: 'event dropped: not an event',
  unknown_type: 'event dropped: unknown type',
  bad_payload: 'event dropped: bad payload',
} as const

/** Why an event was dropped. */
export type DropReason = keyof typeof DROPS | 'rate_limit'

interface ReceiverDependencies {
  source: EventSource
  handle: EventHandler
  /** Called with the id of each dropped event that its driver would send again until it is acknowledged. */
  onRejected(event: string): void
  /** Called with the reason for each dropped event. */
  onDropped(reason: DropReason): void
  /** Events per second; 0 = no limit. */
  rateLimit: () => number
  clock: Clock
  log: Log
}

const TYPES: ReadonlyMap<string, EventType> = new Map(EVENTS.map((event) => [event.type, event]))
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * The inbound side of one driver: parses and limits events and passes them to the handler, strictly in order.
 * Invalid or unknown messages are logged and dropped; the connection stays open, and the driver receives an
 * acknowledgement so that it removes them from its outbox.
 */
export class Receiver {
  readonly #dependencies: ReceiverDependencies
  readonly #limit: EventRateLimit
  #pending = 0
  #resume: (() => void) | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(dependencies: ReceiverDependencies) {
    this.#dependencies = dependencies
    this.#limit = new EventRateLimit(dependencies.rateLimit, dependencies.clock, dependencies.log)
  }

  /** Accepts one message; false means that the socket must deliver it again after `resume` is called. */
  receive(body: Uint8Array, resume: () => void): false | undefined {
    if (this.#pending >= MAX_PENDING_EVENTS) {
      this.#resume = resume
      return false
    }
    const event = this.#parse(body)
    if (!event) return undefined
    this.#pending += 1
    this.#last = this.#last.then(() => this.#run(event))
    return undefined
  }

  /** Resolves when every message accepted so far has been handled. */
  drained(): Promise<void> {
    return this.#last
  }

  async #run(event: EventEnvelope): Promise<void> {
    const { handle, log, source } = this.#dependencies
    try {
      await handle(source, event)
    } catch (error) {
      // The database logs a full disk once; the driver sends again what has to arrive.
      const isLoggedByDatabase = error instanceof AppError && error.code === 'storage_full'
      if (!isLoggedByDatabase) log.error('event handler failed', { type: event.type, event: event.id, error })
    }
    this.#pending -= 1
    const resume = this.#resume
    if (resume && this.#pending < MAX_PENDING_EVENTS / 2) {
      this.#resume = undefined
      resume()
    }
  }

  #parse(body: Uint8Array): EventEnvelope | undefined {
    if (body.byteLength > MAX_RESULT_BYTES) {
      this.#drop('too_large', { bytes: body.byteLength })
      const head = readHead(body)
      return (
        head && (failedResult(head, this.#dependencies) ?? this.#reject(head, 'it is larger than 32 MiB'))
      )
    }
    let event: EventEnvelope
    try {
      const text = decoder.decode(body)
      assertWithinJsonLimits(text, EVENT_SHAPE)
      event = v.parse(eventEnvelope, JSON.parse(text))
    } catch (error) {
      const reason = messageOf(error)
      this.#drop('not_an_event', { reason })
      const head = readHead(body)
      return head && this.#reject(head, reason)
    }
    const type = TYPES.get(event.type)
    if (!type) {
      this.#drop('unknown_type', { type: event.type })
      return undefined
    }
    if (!type.acknowledged && body.byteLength > MAX_EVENT_BYTES) {
      this.#drop('too_large', { type: event.type, bytes: body.byteLength })
      return undefined
    }
    if (type.limited && !this.#limit.allows()) {
      this.#dependencies.onDropped('rate_limit')
      return undefined
    }
    const payload = v.safeParse(type.payload, event.payload)
    if (!payload.success) {
      const [issue] = payload.issues
      const field = v.getDotPath(issue) ?? ''
      this.#drop('bad_payload', { type: event.type, field, reason: issue.message })
      return this.#reject(event, `${field}: ${issue.message}`)
    }
    return { ...event, payload: payload.output }
  }

  #drop(reason: keyof typeof DROPS, fields: LogFields): void {
    this.#dependencies.log.warn(DROPS[reason], fields)
    this.#dependencies.onDropped(reason)
  }

  /** An unreadable event stays unreadable: it is acknowledged, or for a report replaced by a failed one. */
  #reject(head: EventHead, reason: string): EventEnvelope | undefined {
    const report = failedReport(head, reason, this.#dependencies)
    if (!report && TYPES.get(head.type)?.acknowledged) this.#dependencies.onRejected(head.id)
    return report
  }
}
