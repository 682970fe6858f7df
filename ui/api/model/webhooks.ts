import * as v from 'valibot'
import { text } from './fields.ts'

export const webhook = v.object({
  id: v.string(),
  url: v.string(),
  description: text,
  kinds: v.array(v.string()),
  enabled: v.boolean(),
  disabled_reason: text,
  failures: v.optional(v.number(), 0),
  failing_since: text,
  dropped: v.optional(v.number(), 0),
})
export type Webhook = v.InferOutput<typeof webhook>
export const webhooks = v.array(webhook)

/** A webhook with its secret, which is sent when it is created and when it is rotated. */
export const webhookWithSecret = v.object({ ...webhook.entries, secret: v.string() })

export const deliveries = v.array(
  v.object({
    id: v.string(),
    kind: v.string(),
    state: v.picklist(['pending', 'delivered', 'failed']),
    created: text,
    attempts: v.number(),
    attempted_at: text,
    next_attempt: text,
    status: v.number(),
    error: text,
    duration_ms: v.number(),
    response: text,
  }),
)
export type Delivery = v.InferOutput<typeof deliveries>[number]
