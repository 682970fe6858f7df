import { KIB, MIB } from '../../base/index.ts'
import { addressLimitKey } from '../http/address.ts'
import { type Caller, callerName } from '../http/caller.ts'

/** Bytes of a record in an event; larger values are sent to topics whose `fields` names them. */
export const RECORD_BYTES = { plain: 64 * KIB, asked: MIB } as const

/** Time in ms after which the work for streams yields to the other work of the server. */
export const TURN_MS = 2

/** The client that limits count for: the account, or the address of a guest (IPv6: a /64 network). */
export function clientOf({ caller, address }: { caller: Caller; address: string }): string {
  return caller.kind === 'guest' ? `address ${addressLimitKey(address)}` : callerName(caller)
}
