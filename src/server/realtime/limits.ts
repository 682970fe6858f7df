import { KIB, MIB } from '../../base/index.ts'
import { addressLimitKey } from '../http/address.ts'
import { type Caller, callerName } from '../http/caller.ts'

/**
 * What clients of the event streams may ask of the server. `client` is an account or, for guests, an address
 * (IPv6: a /64 network). How many streams a guest's address may open is the setting `guestStreams`.
 */
export const STREAM_LIMITS = {
  streams: { client: 5, total: 2_000 },
  /** Topics, each with the name of a collection and possibly a record. */
  topics: { stream: 1_000, client: 5_000, total: 100_000 },
  /**
   * Topics with options, which the server evaluates and encodes on their own for each change. The total
   * counts evaluations: topics with the same text count once, unless their options depend on the caller.
   */
  optioned: { stream: 50, client: 100, total: 500 },
  /** Bytes that a client has not read yet; a single event may exceed the limit. */
  unreadBytes: { stream: MIB, total: 128 * MIB },
  /** Bytes of a record in an event; larger values are sent to topics whose `fields` names them. */
  recordBytes: { plain: 64 * KIB, asked: MIB },
  /** Changes that wait to be published; with more, reloading is cheaper for the clients. */
  queuedChanges: 10_000,
  /** With more, and with most of the work for topics with options, the client with most is closed. */
  queuedForOptions: 1_000,
} as const

/** Time in ms after which the work for streams yields to the other work of the server. */
export const TURN_MS = 2

/** The client that limits count for: the account, or the address of a guest. */
export function clientOf({ caller, address }: { caller: Caller; address: string }): string {
  return caller.kind === 'guest' ? `address ${addressLimitKey(address)}` : callerName(caller)
}
