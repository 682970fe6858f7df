import * as v from 'valibot'
import { formatNumberOf, sentence } from '../../lib/format.ts'
import { text } from './fields.ts'

/** The signed-in account. `qpu_seconds` is its QPU-time balance in s; superusers have none. */
export const account = v.object({
  id: v.string(),
  collectionName: v.string(),
  email: text,
  qpu_seconds: v.optional(v.number()),
})
export type Account = v.InferOutput<typeof account>

/** Response to a login and to a token refresh; as stored, with a name of the login that no token changes. */
export const auth = v.object({ token: v.string(), record: account, login: v.optional(v.string()) })
export type Auth = v.InferOutput<typeof auth>

/** What an account has given out and is still valid: the number of each kind. */
export const issuedAccess = v.object({
  api_tokens: v.number(),
  session_secrets: v.number(),
  shares: v.number(),
  calendar_feeds: v.number(),
  webhooks: v.number(),
  linked_accounts: v.number(),
})
export type IssuedAccess = v.InferOutput<typeof issuedAccess>

/** A change of the account, or the end of its logins, lists what it leaves valid. */
export const withIssuedAccess = v.object({ issued_access: issuedAccess })

/** "2 API tokens and the address of your calendar stay valid."; empty when nothing does. */
export function describeIssued(issued: IssuedAccess): string {
  const { api_tokens: tokens, session_secrets: secrets, shares, calendar_feeds: feeds, webhooks } = issued
  const parts = [
    ...(tokens > 0 ? [formatNumberOf(tokens, 'API token')] : []),
    ...(secrets > 0 ? [formatNumberOf(secrets, 'session secret')] : []),
    ...(shares > 0 ? [formatNumberOf(shares, 'shared link')] : []),
    ...(feeds > 0 ? ['the address of your calendar'] : []),
    ...(webhooks > 0 ? [formatNumberOf(webhooks, 'webhook')] : []),
  ]
  if (parts.length === 0) return ''
  const list = new Intl.ListFormat('en', { style: 'long' }).format(parts)
  return `${sentence(list)} ${tokens + secrets + shares + feeds + webhooks === 1 ? 'stays' : 'stay'} valid.`
}

/** What can still sign in to the account, and only its owner can tell whether it may; empty for nothing. */
export function describeLinked({ linked_accounts: linked }: IssuedAccess): string {
  if (linked === 0) return ''
  return `${formatNumberOf(linked, 'linked account')} at providers can sign in: unlink what is not yours.`
}
