import * as v from 'valibot'

const time = (text: string) => v.pipe(v.string(), v.description(`${text}; UTC, '' = not yet`))

const holder = v.pipe(
  v.object({
    id: v.string(),
    kind: v.pipe(v.string(), v.description('Such as slurm or client')),
    name: v.pipe(v.string(), v.description('Its id there')),
    ends_at: v.pipe(v.string(), v.description("When it ends at the latest; UTC, '' = with the session")),
    ended_at: time('When it ended'),
  }),
  v.title('SessionHolder'),
)

const fields = {
  id: v.string(),
  qpu: v.pipe(v.string(), v.description('Id of the QPU')),
  qpu_target: v.pipe(v.string(), v.description('Name of the QPU')),
  user: v.pipe(v.string(), v.description('Id of the user')),
  mode: v.picklist(['exclusive', 'batch']),
  state: v.picklist(['queued', 'active', 'paused', 'closed']),
  seconds: v.pipe(v.number(), v.description('How long it lasts after its first activation')),
  idle_seconds: v.pipe(v.number(), v.description('Without a job for so long, it is paused')),
  position: v.pipe(
    v.nullable(v.number()),
    v.description('Place in the line of the QPU, 1 = first; null = closed'),
  ),
  expected_start: v.pipe(
    v.nullable(v.object({ from: v.string(), to: v.string() })),
    v.description('When a queued one begins, if those before it neither end earlier nor pause'),
  ),
  activated_at: time('First activation'),
  ends_at: time('When it ends at the latest'),
  paused_by: v.pipe(
    v.picklist(['', 'idle', 'disabled', 'maintenance', 'draining', 'offline', 'calibrating']),
    v.description('Why it is paused: without a job, or because the QPU runs none'),
  ),
  stopped_at: time('Since when it is paused, or when it ended'),
  end: v.pipe(
    v.picklist(['', 'expired', 'ended', 'booking', 'balance']),
    v.description(
      'Why it has ended: its time, its holders or a superuser, a booking of another user, the balance',
    ),
  ),
  end_reason: v.pipe(v.string(), v.description('What a superuser who ended it says')),
  held_seconds: v.pipe(
    v.number(),
    v.description('Time for which it has been charged; up to a minute follows'),
  ),
  max_cost_seconds: v.pipe(
    v.number(),
    v.description('QPU seconds that it can cost at most, with those charged'),
  ),
  holders: v.pipe(v.array(holder), v.description('Those that have not ended first, at most 50')),
  created: v.string(),
}

/** A session as its user sees it. */
export const sessionResponse = v.pipe(v.object(fields), v.title('Session'))

/** The response to a start. */
export const startedResponse = v.pipe(
  v.object({
    ...fields,
    holder: v.pipe(v.string(), v.description('Id of the holder that this request added')),
    secret: v.pipe(
      v.string(),
      v.description('Submits to this QPU until the holder ends, and reads its jobs for 24 hours more'),
    ),
  }),
  v.title('StartedSession'),
)

export type SessionView = v.InferOutput<typeof sessionResponse>
