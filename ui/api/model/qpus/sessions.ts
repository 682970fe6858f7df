import * as v from 'valibot'
import { text } from '../fields.ts'

/** A time for which a QPU is held without a booking; times are UTC text, empty = not yet. */
const session = v.object({
  id: v.string(),
  qpu_target: v.string(),
  user: v.string(),
  mode: v.string(),
  state: v.picklist(['queued', 'active', 'paused', 'closed']),
  seconds: v.number(),
  idle_seconds: v.number(),
  position: v.nullable(v.number()),
  expected_start: v.nullable(v.object({ from: v.string(), to: v.string() })),
  activated_at: text,
  ends_at: text,
  paused_by: text,
  stopped_at: text,
  held_seconds: v.number(),
  max_cost_seconds: v.number(),
})
export type Session = v.InferOutput<typeof session>
export const sessions = v.array(session)
