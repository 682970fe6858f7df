import * as v from 'valibot'
import { described } from '../http/schema.ts'

export const HEALTH_PATH = '/api/health'

/** Whether this server leads, or waits until it does. */
const ROLES = ['leader', 'standby'] as const

export const healthResponse = v.object({
  message: v.string(),
  code: v.literal(200),
  data: v.object({
    role: described(v.optional(v.picklist(ROLES)), 'Absent for a server whose database no other one can use'),
  }),
})

/** The response of a server that responds; `role` is undefined if no other one can use its database. */
export function healthOf(role: (typeof ROLES)[number] | undefined): v.InferOutput<typeof healthResponse> {
  return { message: 'API is healthy.', code: 200, data: { ...(role && { role }) } }
}
