import * as v from 'valibot'
import { described, shape } from '../http/schema.ts'

const time = (text: string) => described(v.string(), `${text}; UTC, '' = not yet`)

const holder = shape('SessionHolder', {
  id: v.string(),
  kind: described(v.string(), 'Such as slurm or client'),
  name: described(v.string(), 'Its id there'),
  ends_at: described(v.string(), "When it ends at the latest; UTC, '' = with the session"),
  ended_at: time('When it ended'),
})

const fields = {
  id: v.string(),
  qpu: described(v.string(), 'Id of the QPU'),
  qpu_target: described(v.string(), 'Name of the QPU'),
  user: described(v.string(), 'Id of the user'),
  mode: v.picklist(['exclusive', 'batch']),
  state: v.picklist(['queued', 'active', 'paused', 'closed']),
  seconds: described(v.number(), 'How long it lasts after its first activation'),
  idle_seconds: described(v.number(), 'Without a job for so long, it is paused'),
  position: described(v.nullable(v.number()), 'Place in the line of the QPU, 1 = first; null = closed'),
  expected_start: described(
    v.nullable(v.object({ from: v.string(), to: v.string() })),
    'When a queued one begins, if those before it neither end earlier nor pause',
  ),
  activated_at: time('First activation'),
  ends_at: time('When it ends at the latest'),
  paused_by: described(
    v.picklist(['', 'idle', 'disabled', 'maintenance', 'draining', 'offline', 'calibrating']),
    'Why it is paused: without a job, or because the QPU runs none',
  ),
  stopped_at: time('Since when it is paused, or when it ended'),
  end: described(
    v.picklist(['', 'expired', 'ended', 'booking', 'balance']),
    'Why it has ended: its time, its holders or a superuser, a booking of another user, the balance',
  ),
  end_reason: described(v.string(), 'What a superuser who ended it says'),
  held_seconds: described(v.number(), 'Time for which it has been charged; up to a minute follows'),
  max_cost_seconds: described(v.number(), 'QPU seconds that it can cost at most, with those charged'),
  holders: described(v.array(holder), 'Those that have not ended first, at most 50'),
  created: v.string(),
}

/** A session as its user sees it. */
export const sessionResponse = shape('Session', fields)

/** The response to a start. */
export const startedResponse = shape('StartedSession', {
  ...fields,
  holder: described(v.string(), 'Id of the holder that this request added'),
  secret: described(
    v.string(),
    'Submits to this QPU until the holder ends, and reads its jobs for 24 hours more',
  ),
})

export type SessionView = v.InferOutput<typeof sessionResponse>
