import { decode, sign, verify } from 'hono/jwt'
import * as v from 'valibot'
import { AppError } from '../../base/index.ts'

/** Lifetimes in seconds (record-store convention): users 5 days, superusers 1 day. */
export const TOKEN_SECONDS = { users: 432_000, _superusers: 86_400 } as const

const authClaims = v.object({
  id: v.string(),
  type: v.literal('auth'),
  collectionId: v.string(),
  refreshable: v.boolean(),
  exp: v.number(),
})
export type AuthClaims = v.InferOutput<typeof authClaims>

interface IssueOptions {
  id: string
  collectionId: string
  /** Signing key: the account's own key plus the collection's secret, so that either can revoke. */
  key: string
  nowMs: number
  seconds: number
  refreshable?: boolean
}

/** A signed login token (HS256). */
export function issueToken({ id, collectionId, key, nowMs, seconds, refreshable = true }: IssueOptions) {
  const exp = Math.floor(nowMs / 1000) + seconds
  return sign({ id, type: 'auth', collectionId, refreshable, exp }, key, 'HS256')
}

/** Claims of a token whose signature is not yet checked; undefined when it is no login token at all. */
export function readClaims(token: string): AuthClaims | undefined {
  if (token.split('.').length !== 3) return undefined
  try {
    const parsed = v.safeParse(authClaims, decode(token).payload)
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

/** Seconds by which clocks of server and client may differ. */
const LEEWAY = 30

/**
 * Checks signature and expiry.
 * @throws AppError `unauthorized`.
 */
export async function checkToken(token: string, key: string, nowMs: number): Promise<AuthClaims> {
  try {
    // Expiry is checked below, by the injected clock.
    const claims = v.parse(authClaims, await verify(token, key, { alg: 'HS256', exp: false }))
    if (claims.exp + LEEWAY < nowMs / 1000) throw new Error('expired')
    return claims
  } catch (cause) {
    throw new AppError('unauthorized', 'The request requires valid record authorization token', { cause })
  }
}
