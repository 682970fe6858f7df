import * as v from 'valibot'
import { KIB, MIB } from '../base/index.ts'

/** Declaration of one driver → server event type; see `events/`. */
export interface EventType<
  Name extends string = string,
  Schema extends v.GenericSchema = v.GenericSchema,
  Summary = unknown,
> {
  /** PascalCase name on the wire. */
  type: Name
  /** Stored in the `events` log as it arrives, without handler code. */
  log: boolean
  /** Counts against the driver's event rate; false for events whose number the server's commands limit. */
  limited: boolean
  /** The driver stores it on disk and resends it until the server acknowledges its id. */
  acknowledged: boolean
  /**
   * The server's state is wrong without it, and the driver does not send it again: if it cannot be applied,
   * the session ends, and the driver reports its state with the next attach.
   */
  required: boolean
  /** Fields of the payload that may be large: the server stores their JSON text as it was received. */
  large: readonly string[]
  /**
   * What handlers need to know of the large fields: computed where they are parsed, which may be in a thread.
   */
  summarize?(payload: v.InferOutput<Schema>): Summary
  /** Maximum bytes of the whole event in UTF-8. */
  maxBytes: number
  payload: Schema
}

/** Limits of an event in bytes of UTF-8, which both the driver and the server enforce. */
export const EVENT_LIMITS = {
  /** An event that is not acknowledged, unless it declares another limit. */
  bytes: 64 * KIB,
  /** An event with results or a report of the maximum size. */
  acknowledgedBytes: 8 * MIB + 64 * KIB,
} as const

/**
 * Declares an event type. Defaults: not logged, rate limited, not acknowledged, not required,
 * nothing large, and the limit
 * of `EVENT_LIMITS`.
 */
export function defineEvent<
  const Name extends string,
  Schema extends v.GenericSchema,
  const Log extends boolean = false,
  const Large extends string = never,
  Summary = undefined,
>(declaration: {
  type: Name
  log?: Log
  limited?: boolean
  acknowledged?: boolean
  required?: boolean
  large?: readonly Large[]
  summarize?(payload: v.InferOutput<Schema>): Summary
  maxBytes?: number
  payload: Schema
}): EventType<Name, Schema, Summary> & { log: Log; large: readonly Large[] } {
  const { type, log = false as Log, limited = true, acknowledged = false, required = false } = declaration
  const { large = [], payload } = declaration
  const { maxBytes = acknowledged ? EVENT_LIMITS.acknowledgedBytes : EVENT_LIMITS.bytes } = declaration
  return { ...declaration, type, log, limited, acknowledged, required, large, maxBytes, payload }
}

/** Envelope of every event on the wire. */
export const eventEnvelope = v.object({
  type: v.pipe(v.string(), v.nonEmpty(), v.maxLength(100)),
  /** Unique per driver; equal ids mean the same event sent again. */
  id: v.pipe(v.string(), v.nonEmpty(), v.maxLength(100)),
  /** The event's own UTC time, `2026-01-31T09:05:00.000Z`. */
  ts: v.pipe(v.string(), v.isoTimestamp()),
  payload: v.unknown(),
})
export type EventEnvelope = v.InferOutput<typeof eventEnvelope>
