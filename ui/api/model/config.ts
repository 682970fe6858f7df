import * as v from 'valibot'

/** Public configuration of the service. */
export const uiConfig = v.object({
  name: v.string(),
  version: v.string(),
  passwordLogin: v.boolean(),
  oauth2: v.optional(v.array(v.object({ name: v.string(), displayName: v.string() })), []),
  allowSignup: v.optional(v.boolean(), false),
  hasSuperuser: v.optional(v.boolean(), true),
  /** When unused booked time goes to others, and how long and how far ahead users book; in s. */
  booking: v.optional(
    v.object({ idle_seconds: v.number(), max_length_seconds: v.number(), max_ahead_seconds: v.number() }),
  ),
  /** Configured collection names by their default names. */
  collections: v.record(v.string(), v.string()),
})
export type UiConfig = v.InferOutput<typeof uiConfig>
