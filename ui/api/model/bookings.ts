import * as v from 'valibot'
import { text } from './fields.ts'

/** A booked slot. Times are UTC text; an empty `qpu` is every QPU. */
export const slot = v.object({
  id: v.string(),
  start_time: v.string(),
  end_time: v.string(),
  booked_by: text,
  qpu: text,
  series: text,
  expand: v.optional(
    v.object({
      booked_by: v.optional(v.object({ email: text, username: text, unlimited: v.optional(v.boolean()) })),
    }),
  ),
})
export type Slot = v.InferOutput<typeof slot>
export const slots = v.object({ items: v.array(slot) })
export const booked = v.object({ slots: v.array(slot) })

/** Whether the account has a calendar feed; its address is known only when it is created. */
export const calendarFeed = v.object({ feed: v.nullable(v.object({ qpu: v.string(), created: v.string() })) })
export const createdFeed = v.object({ qpu: v.string(), created: v.string(), url: v.string() })
export const changedFeed = v.object({ qpu: v.string(), created: v.string() })
