import * as v from 'valibot'
import { text } from '../fields.ts'

/** What an API token may do. */
export const SCOPES = ['read', 'submit', 'all', 'operate', 'session'] as const
export type Scope = (typeof SCOPES)[number]

export const apiToken = v.object({
  id: v.string(),
  name: text,
  /** Empty when it never expires. */
  expires_at: text,
  scope: v.picklist(SCOPES),
  created: text,
  /** Up to an hour old; empty when it was never used. */
  last_used: text,
  last_address: text,
})
export type ApiToken = v.InferOutput<typeof apiToken>
export const apiTokens = v.array(apiToken)

/** A new API token with its value, which is sent once. */
export const createdToken = v.object({ ...apiToken.entries, token: v.string() })
