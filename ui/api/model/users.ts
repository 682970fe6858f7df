import * as v from 'valibot'
import { text } from './fields.ts'

/** A user as superusers see it. `qpu_seconds` is the balance in s. */
export const user = v.object({
  id: v.string(),
  email: v.string(),
  username: v.optional(v.string(), ''),
  qpu_seconds: v.optional(v.number(), 0),
  api_tokens: v.optional(v.array(v.string()), []),
  disabled: v.optional(v.boolean(), false),
  verified: v.optional(v.boolean(), false),
  created: text,
})
export type User = v.InferOutput<typeof user>
export const users = v.object({ items: v.array(user), totalItems: v.number() })
export const userNames = v.object({ items: v.array(v.object({ id: v.string(), email: v.string() })) })
/** When users were last seen, and their QPU time of the last 30 days. */
export const userActivity = v.object({
  items: v.array(
    v.object({ user: v.string(), last_login: v.string(), last_seen: v.string(), qpu_seconds: v.number() }),
  ),
})
export type UserActivity = v.InferOutput<typeof userActivity>['items'][number]

export const accountLink = v.object({ link: v.string(), expires_at: v.string() })

export const superusers = v.object({
  items: v.array(v.object({ id: v.string(), email: v.string(), created: text })),
})

/** A request for QPU time; `granted_seconds` is 0 until it is approved, and for old ones. */
const timeRequest = v.object({
  id: v.string(),
  user: v.string(),
  seconds: v.number(),
  granted_seconds: v.optional(v.number(), 0),
  status: v.picklist(['pending', 'approved', 'rejected']),
  requested_reason: text,
  rejection_reason: text,
  handled_by: text,
  created: v.string(),
  updated: v.string(),
  expand: v.optional(
    v.object({
      user: v.optional(v.object({ email: text, username: text, qpu_seconds: v.optional(v.number(), 0) })),
    }),
  ),
})
export type TimeRequest = v.InferOutput<typeof timeRequest>
export const timeRequests = v.object({ items: v.array(timeRequest), totalItems: v.number() })
export const savedTimeRequest = v.object({ id: v.string() })

/** Changes of a balance, newest first. */
export const ledger = v.object({
  entries: v.array(
    v.object({
      at: v.string(),
      kind: v.picklist(['charge', 'grant', 'admin', 'opening', 'refund', 'session']),
      source: v.string(),
      name: text,
      seconds: v.number(),
    }),
  ),
  next: v.nullable(v.number()),
})
export type LedgerEntry = v.InferOutput<typeof ledger>['entries'][number]

/** Use of QPU time; what a row is not for is empty. */
const usage = v.object({
  month: v.string(),
  user: v.string(),
  username: v.string(),
  email: v.string(),
  qpu: v.string(),
  qpu_name: v.string(),
  jobs: v.number(),
  qpu_seconds: v.number(),
  charged_seconds: v.number(),
})
export type Usage = v.InferOutput<typeof usage>
export const accounting = v.object({ from: v.string(), to: v.string(), items: v.array(usage) })
