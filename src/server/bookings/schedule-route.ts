import * as v from 'valibot'
import { DAY_MS, toTimestamp } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import {
  qpus,
  readClosedTimes,
  readFailures,
  readJobTicks,
  readSchedule,
  readScheduleNotes,
} from '../../db/store/qpus/index.ts'
import { actingUser } from '../auth/acting-user.ts'
import { badQuery, moment, whole } from '../http/request/list-query.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'

const DEFAULT_DAYS = 7
const MAX_DAYS = 62
const MAX_TICKS = 500
/** Ticks of all QPUs together: about 15 ms. */
const MAX_ALL_TICKS = 2_000

/** Times without jobs of one response. */
const MAX_CLOSED = 2_000
/** Notes of one response, the newest. */
const MAX_NOTES = 500

const time = (unset: string) => described(v.string(), `UTC; '' = ${unset}`)
const busyTime = shape('BusyTime', {
  qpu: described(v.string(), "Id in qpus; '' = every QPU"),
  kind: described(
    v.picklist(['slot', 'session', 'batch_session', 'calibration', 'queued_calibration', 'maintenance']),
    "During a `session` no other user's jobs run, during a `batch_session` they do",
  ),
  start: time('not known'),
  end: time('open'),
  mine: described(v.boolean(), 'Booked or held by the caller'),
})

const jobTick = shape('JobTick', {
  qpu: described(v.string(), 'Id in qpus'),
  start: v.string(),
  end: described(v.string(), "UTC; '' = a job is running"),
})

const failure = shape('AttemptFailure', { qpu: described(v.string(), 'Id in qpus'), at: v.string() })

const closedTime = shape('ClosedTime', {
  qpu: described(v.string(), 'Id in qpus'),
  kind: v.picklist(['disabled', 'maintenance', 'draining', 'offline']),
  start: v.string(),
  end: time('it lasts'),
  reason: described(v.string(), "What the operator wrote, or why its driver left; '' = not known"),
})

const note = shape('ScheduleNote', {
  id: v.string(),
  qpu: described(v.string(), "Id in qpus; '' = every QPU"),
  at: v.string(),
  text: v.string(),
})

/** When QPUs are occupied, without names; the slots themselves are read through the record routes. */
export const scheduleRoute: Route = defineRoute('GET /api/schedule', {
  access: 'public',
  isOperation: true,
  summary: 'When QPUs are occupied: slots, sessions, calibrations, maintenance and jobs, without names',
  query: v.object({
    from: v.optional(moment),
    to: v.optional(moment),
    ticks: v.optional(
      described(
        whole(0, MAX_TICKS),
        'Maximum number of times per QPU in which jobs ran; jobs close together are merged',
      ),
      '0',
    ),
  }),
  response: shape('Schedule', {
    from: v.string(),
    to: v.string(),
    busy: v.array(busyTime),
    ticks: v.array(jobTick),
    failures: described(v.array(failure), 'When attempts of jobs failed, one of each part'),
    closed: described(
      v.array(closedTime),
      `When QPUs took no jobs and why, newest first, at most ${MAX_CLOSED}; kept as long as events`,
    ),
    notes: described(v.array(note), 'Notes on moments of the range; none for guests'),
  }),
  async run({ db, clock }, { caller, query }) {
    const { from, to } = rangeOf(query, clock.now())
    const user = caller.kind === 'guest' ? undefined : await actingUser(db, caller)
    const schedule = await db.read((tx) => ({
      busy: readSchedule(tx, { from, to, user: user?.id ?? '' }),
      ...(query.ticks === 0 ? NO_TICKS : readTicks(tx, { from, to, most: query.ticks })),
      closed: readClosedTimes(tx, { from, to, most: MAX_CLOSED }),
      notes: caller.kind === 'guest' ? [] : readScheduleNotes(tx, { from, to, most: MAX_NOTES }),
    }))
    return { from, to, ...schedule }
  },
})

const NO_TICKS = { ticks: [], failures: [] }

/** The ticks and failures of all QPUs; fewer of each when there are many QPUs. */
function readTicks(tx: ReadTx, { most, ...given }: { from: string; to: string; most: number }) {
  const ids = tx.list(qpus, {}).map(({ id }) => id)
  const share = Math.max(1, Math.min(most, Math.floor(MAX_ALL_TICKS / ids.length)))
  const range = { ...given, most: share }
  return {
    ticks: ids.flatMap((qpu) => readJobTicks(tx, qpu, range)),
    failures: ids.flatMap((qpu) => readFailures(tx, qpu, range).map((at) => ({ qpu, at }))),
  }
}

/** The requested range, by default a week from now; ms since the epoch in, timestamps out. */
function rangeOf(query: { from?: number | undefined; to?: number | undefined }, now: number) {
  const from = query.from ?? now
  const to = query.to ?? from + DEFAULT_DAYS * DAY_MS
  if (to <= from) throw badQuery('to', `Must be after from, which is ${toTimestamp(from)}.`)
  if (to - from > MAX_DAYS * DAY_MS) {
    throw badQuery(
      'to',
      `Must be at most ${MAX_DAYS} days after from, so ${toTimestamp(from + MAX_DAYS * DAY_MS)} or before; request longer ranges in parts.`,
    )
  }
  return { from: toTimestamp(from), to: toTimestamp(to) }
}
