import { decode, sign, verify } from 'hono/jwt'
import * as v from 'valibot'
import { AppError } from '../../base/index.ts'

/** Lifetimes in seconds (record-store convention): users 5 days, superusers 1 day. */
export const TOKEN_SECONDS = { users: 432_000, _superusers: 86_400 } as const

/** Lifetimes of mailed links in seconds, by purpose. */
export const LINK_SECONDS = { verification: 86_400, passwordReset: 1_800, emailChange: 1_800 } as const
export type LinkPurpose = keyof typeof LINK_SECONDS

const authClaims = v.object({
  id: v.string(),
  type: v.literal('auth'),
  collectionId: v.string(),
  refreshable: v.boolean(),
  exp: v.number(),
})
type AuthClaims = v.InferOutput<typeof authClaims>

const linkClaims = v.object({
  id: v.string(),
  type: v.picklist(['verification', 'passwordReset', 'emailChange']),
  collectionId: v.string(),
  /** Address of the account when the link was created. */
  email: v.string(),
  /** The new address, for `emailChange`. */
  newEmail: v.optional(v.string()),
  exp: v.number(),
})
type LinkClaims = v.InferOutput<typeof linkClaims>

interface IssueOptions {
  id: string
  collectionId: string
  /**
   * Signing key: the key of the account plus the secret of the collection, so that either can revoke tokens.
   */
  key: string
  nowMs: number
  seconds: number
  refreshable?: boolean
}

/** Signs a login token (HS256). */
export function issueToken({ id, collectionId, key, nowMs, seconds, refreshable = true }: IssueOptions) {
  const claims: AuthClaims = { id, type: 'auth', collectionId, refreshable, exp: expiry(nowMs, seconds) }
  return sign(claims, key, 'HS256')
}

/** Signs the token of a mailed link (HS256); `key` must be specific to the purpose. */
export function issueLinkToken(claims: Omit<LinkClaims, 'exp'>, key: string, nowMs: number) {
  return sign({ ...claims, exp: expiry(nowMs, LINK_SECONDS[claims.type]) }, key, 'HS256')
}

function expiry(nowMs: number, seconds: number): number {
  return Math.floor(nowMs / 1000) + seconds
}

/** Claims of a login token without a check of its signature; undefined for other texts. */
export function readClaims(token: string): AuthClaims | undefined {
  return unchecked(authClaims, token)
}

/** Claims of a link token without a check of its signature; undefined for other texts. */
export function readLinkClaims(token: string): LinkClaims | undefined {
  return unchecked(linkClaims, token)
}

function unchecked<T>(schema: v.GenericSchema<unknown, T>, token: string): T | undefined {
  if (token.split('.').length !== 3) return undefined
  try {
    const parsed = v.safeParse(schema, decode(token).payload)
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

/** Tolerated difference between the clocks of server and client, in seconds. */
const LEEWAY = 30

/**
 * Checks signature and expiry.
 * @throws AppError `unauthorized`.
 */
export function checkToken(token: string, key: string, nowMs: number): Promise<AuthClaims> {
  return checked(authClaims, token, key, nowMs)
}

/**
 * Checks signature and expiry of a link token.
 * @throws AppError `unauthorized`.
 */
export function checkLinkToken(token: string, key: string, nowMs: number): Promise<LinkClaims> {
  return checked(linkClaims, token, key, nowMs)
}

async function checked<T extends { exp: number }>(
  schema: v.GenericSchema<unknown, T>,
  token: string,
  key: string,
  nowMs: number,
): Promise<T> {
  try {
    // The expiry is checked below with the injected clock.
    const claims = v.parse(schema, await verify(token, key, { alg: 'HS256', exp: false }))
    if (claims.exp + LEEWAY < nowMs / 1000) throw new Error('expired')
    return claims
  } catch (cause) {
    throw new AppError('unauthorized', 'The request requires valid record authorization token', { cause })
  }
}
