import type { Reading } from '../../db/index.ts'
import { addressLimitKey } from './address.ts'
import { type Caller, callerName } from './caller.ts'

/**
 * On whose behalf a read runs whose cost depends on the client; the signal of `request` ends it when the
 * client has gone.
 */
export function readingOf(caller: Caller, address: string, request?: Request): Reading {
  const name = caller.kind === 'guest' ? `guest ${addressLimitKey(address)}` : callerName(caller)
  return {
    caller: name,
    kind: caller.kind,
    // Few reads need the signal, which the runtime creates when it is asked for.
    get signal() {
      return request?.signal
    },
  }
}
