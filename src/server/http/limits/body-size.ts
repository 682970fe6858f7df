import { KIB, MIB } from '../../../base/index.ts'
import type { Caller } from '../caller.ts'

/** The highest limit of any route, in bytes: programs of a job, reports written by superusers. */
export const MAX_BODY_BYTES = 16 * MIB
/** The limit of all other routes. */
export const SMALL_BODY_BYTES = MIB
/** The limit for forms, which are parsed on the event loop. */
export const MAX_FORM_BYTES = MIB
/** The limit for guests, who send logins, sign-ups and subscriptions only. */
const GUEST_BODY_BYTES = 256 * KIB

/** Maximum size of a body of this caller where others may send `most` bytes. */
export function maxBodyBytes({ kind }: Pick<Caller, 'kind'>, most: number): number {
  return kind === 'guest' ? Math.min(most, GUEST_BODY_BYTES) : most
}
