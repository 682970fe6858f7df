import * as v from 'valibot'
import { type LogFields, messageOf } from '../../base/index.ts'
import { EVENTS, type EventEnvelope, type EventType, eventEnvelope } from '../../protocol/index.ts'
import { assertWithinJsonLimits, type JsonLimits } from '../http/limits/json-shape.ts'
import { type EventHead, readHead } from './oversize.ts'

/** The raw data of a result are flat; deeper nesting would exhaust the stack when they are serialized. */
const EVENT_SHAPE: JsonLimits = {
  subject: 'event',
  depth: 64,
  keys: 1_000_000,
  parts: 10_000_000,
  values: 10_000_000,
}
const MAX_REASON_LENGTH = 500

/** Log lines of dropped events. */
export const DROPS = {
  too_large: 'event dropped: too large',
  not_an_event: 'event dropped: not an event',
  unknown_type: 'event dropped: unknown type',
  bad_payload: 'event dropped: bad payload',
  rate_limit: 'rate limit exceeded, dropping event',
} as const

/** Why an event was dropped. */
export type DropReason = keyof typeof DROPS

/** An event without the large parts of its payload, their JSON texts by field, and what they contain. */
interface ParsedEvent {
  event: EventEnvelope & { payload: Record<string, unknown> }
  large: Record<string, string>
  summary: unknown
}

/** An event that is dropped. With `head`, it is acknowledged, so that the driver does not send it again. */
export interface DroppedEvent {
  drop: DropReason
  fields: LogFields
  head?: EventHead | undefined
}

export type ParseOutcome = ParsedEvent | DroppedEvent

/** The declared event types by name. */
export const EVENT_TYPES: ReadonlyMap<string, EventType> = new Map(EVENTS.map((event) => [event.type, event]))
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Refuses an event by its first bytes: parsing what is dropped anyway would make it worth sending. Undefined
 * when the event must be parsed to know.
 */
export function dropByHead(head: EventHead | undefined, bytes: number): DroppedEvent | undefined {
  if (!head) return undefined
  const { type } = head
  const declared = EVENT_TYPES.get(type)
  if (!declared) return { drop: 'unknown_type', fields: { type } }
  // The driver of an acknowledged event is informed that it is too large.
  if (declared.acknowledged || bytes <= declared.maxBytes) return undefined
  return { drop: 'too_large', fields: { type, bytes, limit: declared.maxBytes } }
}

/** Parses and validates an event. Never throws; takes about 40 ms for 1 MiB, so large ones need a thread. */
export function parseEvent(body: Uint8Array): ParseOutcome {
  let event: EventEnvelope
  try {
    const text = decoder.decode(body)
    assertWithinJsonLimits(text, EVENT_SHAPE)
    event = v.parse(eventEnvelope, JSON.parse(text), { abortEarly: true })
  } catch (error) {
    const reason = messageOf(error).slice(0, MAX_REASON_LENGTH)
    return { drop: 'not_an_event', fields: { reason }, head: readHead(body) }
  }
  const { type, id } = event
  const dropped = dropByHead({ type, id }, body.byteLength)
  if (dropped) return dropped
  const declared = EVENT_TYPES.get(type)
  const payload = declared && v.safeParse(declared.payload, event.payload, { abortEarly: true })
  if (payload?.success) {
    const summary = declared?.summarize?.(payload.output)
    return { ...splitLarge(payload.output, declared?.large ?? [], event), summary }
  }
  const issue = payload?.issues[0]
  const field = issue ? (v.getDotPath(issue) ?? '') : ''
  const reason = (issue?.message ?? '').slice(0, MAX_REASON_LENGTH)
  return { drop: 'bad_payload', fields: { type, field, reason }, head: { type, id } }
}

function splitLarge(payload: unknown, names: readonly string[], event: EventEnvelope) {
  const small: Record<string, unknown> = { ...(payload as object) }
  const large: Record<string, string> = {}
  for (const name of names) {
    if (small[name] === undefined) continue
    large[name] = JSON.stringify(small[name])
    delete small[name]
  }
  return { event: { ...event, payload: small }, large }
}
