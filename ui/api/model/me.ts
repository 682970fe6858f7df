import * as v from 'valibot'
import { issuedAccess } from './account.ts'
import { text } from './fields.ts'

const rate = v.nullable(v.object({ per_second: v.number(), burst: v.number() }))
const usage = v.object({ used: v.number(), max: v.nullable(v.number()) })

/** The own account with its limits; superusers have neither balance nor limits. */
export const me = v.object({
  role: v.picklist(['user', 'superuser']),
  account: v.object({
    id: v.string(),
    email: text,
    username: text,
    verified: v.optional(v.boolean(), false),
    created: text,
    mail_job_after: v.optional(v.number(), 0),
    mail_slot_start: v.optional(v.boolean(), false),
    mail_time_request: v.optional(v.boolean(), false),
    mail_alerts: v.optional(v.boolean(), false),
  }),
  balance: v.nullable(v.object({ qpu_seconds: v.number(), unlimited: v.boolean() })),
  credentials: v.object({ expires_at: text }),
  issued_access: issuedAccess,
  limits: v.nullable(
    v.object({ requests: rate, submissions: rate, pending_jobs: usage, stored_bytes: usage }),
  ),
})
export type Me = v.InferOutput<typeof me>

/** Accounts at OAuth2 providers that belong to the account. */
export const linkedAccounts = v.object({
  items: v.array(v.object({ id: v.string(), provider: v.string(), created: text })),
})
