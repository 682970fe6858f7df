import { timingSafeEqual } from 'node:crypto'
import { decode, sign } from 'hono/jwt'
import * as v from 'valibot'
import { AppError } from '../../base/index.ts'

/** Lifetimes in seconds (record-store convention): users 5 days, superusers 1 day. */
export const TOKEN_SECONDS = { users: 432_000, _superusers: 86_400 } as const

/** Lifetimes of mailed links in seconds, by purpose. */
export const LINK_SECONDS = { verification: 86_400, passwordReset: 1_800, emailChange: 1_800 } as const
export type LinkPurpose = keyof typeof LINK_SECONDS

/**
 * Superusers in the chain of one login. They are looked up before the signature is checked, for which their
 * keys are needed, so that whoever sends a token decides how many.
 */
export const MAX_ISSUERS = 4

const authClaims = v.object({
  id: v.string(),
  type: v.literal('auth'),
  collectionId: v.string(),
  refreshable: v.boolean(),
  /** The superusers who issued it by impersonation, each with the login of the one before. */
  by: v.optional(v.pipe(v.array(v.string()), v.maxLength(MAX_ISSUERS))),
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
  by?: readonly string[]
}

/** Signs a login token (HS256). */
export function issueToken({
  id,
  collectionId,
  key,
  nowMs,
  seconds,
  refreshable = true,
  by = [],
}: IssueOptions) {
  const issuers = by.length > 0 && { by: [...by] }
  const exp = expiry(nowMs, seconds)
  const claims: AuthClaims = { id, type: 'auth', collectionId, refreshable, exp, ...issuers }
  return sign(claims, key, 'HS256')
}

/** Signs the token of a mailed link (HS256); `key` must be specific to the purpose. */
export function issueLinkToken(claims: Omit<LinkClaims, 'exp'>, key: string, nowMs: number) {
  return sign({ ...claims, exp: expiry(nowMs, LINK_SECONDS[claims.type]) }, key, 'HS256')
}

function expiry(nowMs: number, seconds: number): number {
  return Math.floor(nowMs / 1000) + seconds
}

/** Tokens to remember; longer ones are not, so that all together take at most 1 MB. */
const MAX_REMEMBERED = 1_000
const MAX_REMEMBERED_LENGTH = 1_000

/**
 * Checks login tokens. The content and the signature of a token do not change, so those of the latest valid
 * ones are remembered; the key and the time are compared at each use.
 */
export class LoginTokens {
  readonly #valid = new Map<string, { key: string; signed: Signed<AuthClaims> }>()

  /** Claims of a token that was valid when it was checked; undefined for others. */
  remembered(token: string): AuthClaims | undefined {
    return this.#valid.get(token)?.signed.claims
  }

  /** Claims of a token, not necessarily a valid one; undefined for other texts. */
  readClaims(token: string): AuthClaims | undefined {
    return this.remembered(token) ?? unchecked(authClaims, token)
  }

  /**
   * Checks signature and expiry.
   * @throws AppError `unauthorized`.
   */
  check(token: string, key: string, nowMs: number): AuthClaims {
    const known = this.#valid.get(token)
    if (known?.key === key) return current(known.signed, nowMs)
    const signed = readSigned(authClaims, token, key)
    if (token.length <= MAX_REMEMBERED_LENGTH) this.#remember(token, { key, signed })
    return current(signed, nowMs)
  }

  #remember(token: string, valid: { key: string; signed: Signed<AuthClaims> }): void {
    this.#valid.set(token, valid)
    if (this.#valid.size <= MAX_REMEMBERED) return
    const [oldest = ''] = this.#valid.keys()
    this.#valid.delete(oldest)
  }
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
 * Checks signature and expiry of a link token.
 * @throws AppError `unauthorized`.
 */
export function checkLinkToken(token: string, key: string, nowMs: number): LinkClaims {
  return current(readSigned(linkClaims, token, key), nowMs)
}

/** What a token with a valid signature states. */
interface Signed<T extends { exp: number }> {
  claims: T
  /** Times in seconds before which it is not valid, if it names any. */
  from: (number | undefined)[]
}

/** @throws AppError `unauthorized` for other texts. */
function readSigned<T extends { exp: number }>(
  schema: v.GenericSchema<unknown, T>,
  token: string,
  key: string,
): Signed<T> {
  try {
    const { header, payload } = decode(token)
    if (header.alg !== 'HS256' || !isSigned(token, key)) throw new Error('not signed')
    return { claims: v.parse(schema, payload), from: [payload.nbf, payload.iat] }
  } catch (cause) {
    throw unauthorized(cause)
  }
}

/** The claims if they apply now. @throws AppError `unauthorized`. */
function current<T extends { exp: number }>({ claims, from }: Signed<T>, nowMs: number): T {
  const now = nowMs / 1000
  if (claims.exp + LEEWAY < now) throw unauthorized(new Error('expired'))
  if (from.some((start) => start !== undefined && !(start <= now + LEEWAY)))
    throw unauthorized(new Error('not valid yet'))
  return claims
}

function unauthorized(cause: unknown): AppError {
  return new AppError('unauthorized', 'The request requires valid record authorization token', { cause })
}

/**
 * Whether the token carries its HS256 signature. Every request of an account is checked; the asynchronous
 * functions of Web Crypto take four times as long, because they pass the few bytes to another thread.
 */
function isSigned(token: string, key: string): boolean {
  const end = token.lastIndexOf('.')
  const expected = new Bun.CryptoHasher('sha256', key).update(token.slice(0, end)).digest()
  const given = Buffer.from(token.slice(end + 1), 'base64url')
  return given.byteLength === expected.byteLength && timingSafeEqual(given, expected)
}
