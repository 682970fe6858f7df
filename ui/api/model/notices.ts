import * as v from 'valibot'
import { text } from './fields.ts'

const ids = v.optional(v.array(v.string()), [])

/** An announcement; users receive those that they have not dismissed, within their time window. */
export const notice = v.object({
  id: v.string(),
  title: v.string(),
  /** Markdown subset. */
  description: text,
  /** Empty for everybody. */
  target_users: ids,
  dismissed_by: ids,
  start_time: text,
  end_time: text,
  created: text,
})
export type Notice = v.InferOutput<typeof notice>

export const notices = v.object({ items: v.array(notice), totalItems: v.optional(v.number(), 0) })
