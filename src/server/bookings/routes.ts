import * as v from 'valibot'
import { AppError, toTimestamp } from '../../base/index.ts'
import { readSchedule } from '../../db/index.ts'
import { actingUser } from '../auth/acting-user.ts'
import { moment } from '../http/request/list-query.ts'
import { defineRoute, type Route } from '../http/route.ts'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 7
const MAX_DAYS = 62

const time = (unset: string) => v.pipe(v.string(), v.description(`UTC; '' = ${unset}`))
const busyTime = v.object({
  qpu: v.pipe(v.string(), v.description("Id in qpus; '' = every QPU")),
  kind: v.picklist(['slot', 'calibration', 'queued_calibration', 'maintenance']),
  start: time('not known'),
  end: time('open'),
  mine: v.pipe(v.boolean(), v.description('Booked by the caller')),
})

/** When QPUs are occupied, without names; the slots themselves are read through the record routes. */
export const bookingRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/schedule',
    access: 'public',
    summary: 'When QPUs are occupied: slots, calibrations and maintenance, without names',
    query: v.object({ from: v.optional(moment), to: v.optional(moment) }),
    statuses: [200, 400],
    response: v.object({ from: v.string(), to: v.string(), busy: v.array(busyTime) }),
    async run({ db, clock }, { caller, query }) {
      const { from, to } = rangeOf(query, clock.now())
      const user = caller.kind === 'guest' ? undefined : await actingUser(db, caller)
      const busy = await db.read((tx) => readSchedule(tx, { from, to, user: user?.id ?? '' }))
      return { from, to, busy }
    },
  }),
]

/** The requested range, by default a week from now; ms since the epoch in, timestamps out. */
function rangeOf(query: { from?: number | undefined; to?: number | undefined }, now: number) {
  const from = query.from ?? now
  const to = query.to ?? from + DEFAULT_DAYS * DAY_MS
  if (to <= from) throw badRange(`Must be after from, which is ${toTimestamp(from)}.`)
  if (to - from > MAX_DAYS * DAY_MS) {
    throw badRange(
      `Must be at most ${MAX_DAYS} days after from, so ${toTimestamp(from + MAX_DAYS * DAY_MS)} or before; request longer ranges in parts.`,
    )
  }
  return { from: toTimestamp(from), to: toTimestamp(to) }
}

function badRange(message: string): AppError {
  const fields = { to: { code: 'validation_invalid_value', message } }
  return new AppError('invalid', 'Invalid query parameter', { fields })
}
