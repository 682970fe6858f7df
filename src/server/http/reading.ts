import type { Reading } from '../../db/query/index.ts'
import { addressLimitKey } from './address.ts'
import { type Caller, callerName } from './caller.ts'
import { IDLE_TIMEOUT_SECONDS } from './limits/idle-time.ts'
import type { RouteRequest } from './route.ts'

/** The request that a read is for; a response with an idle time of its own omits `setIdleTimeout`. */
export type ReadRequest = Partial<Pick<RouteRequest<unknown, unknown>, 'request' | 'setIdleTimeout'>>

/** Whom limits on reads count: the account, or the address of a guest (IPv6: a /64 network). */
export function readerOf(caller: Caller, address: string): string {
  return caller.kind === 'guest' ? `guest ${addressLimitKey(address)}` : callerName(caller)
}

/**
 * On whose behalf a read runs whose cost depends on the client; the signal of the request ends it when the
 * client has gone, and the connection stays open until then.
 */
export function readingOf(caller: Caller, address: string, call: ReadRequest = {}): Reading {
  return {
    caller: readerOf(caller, address),
    kind: caller.kind,
    // Few reads need the signal, which the runtime creates when it is asked for.
    get signal() {
      return call.request?.signal
    },
    keepOpen: (ms) => call.setIdleTimeout?.(IDLE_TIMEOUT_SECONDS + Math.ceil(ms / 1_000)),
  }
}
