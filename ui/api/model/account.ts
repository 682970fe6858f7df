import * as v from 'valibot'
import { text } from './fields.ts'

/** The signed-in account. `qpu_seconds` is its QPU-time balance in s; superusers have none. */
export const account = v.object({
  id: v.string(),
  collectionName: v.string(),
  email: text,
  qpu_seconds: v.optional(v.number()),
})
export type Account = v.InferOutput<typeof account>

/** Response to a login and to a token refresh. */
export const auth = v.object({ token: v.string(), record: account })
export type Auth = v.InferOutput<typeof auth>
