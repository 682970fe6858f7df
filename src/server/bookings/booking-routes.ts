import * as v from 'valibot'
import {
  AppError,
  badField,
  type Clock,
  fromLocalTimestamp,
  fromTimestamp,
  isTimeZone,
  Turns,
  toTimestamp,
} from '../../base/index.ts'
import type { Tx } from '../../db/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { users } from '../../db/store/accounts/index.ts'
import {
  bookSlots,
  cancelFollowing,
  endSlot,
  overlapsOf,
  requireSlot,
  type SlotConflict,
  type TimeSlot,
} from '../../db/store/bookings/index.ts'
import type { RateLimiter } from '../admission/rate-limiter.ts'
import { actingUser } from '../auth/acting-user.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName } from '../http/caller.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'
import { assertFree, bookedQpu } from './bookable.ts'
import { MAX_WEEKS, repeatWeekly, weeksUntil } from './repeat.ts'

/** Time for which bookings are stored in one turn of the event loop. */
const BOOKINGS_PER_TURN_MS = 4

const time = described(
  v.pipe(
    v.string(),
    v.check(
      (text) => text !== '' && fromTimestamp(text) !== undefined,
      'Expected a time such as 2026-01-31T10:05:00+01:00',
    ),
  ),
  'Without an offset, as the clocks of time_zone show it',
)
const zone = described(
  v.pipe(v.string(), v.maxLength(64), v.check(isTimeZone, 'Expected a time zone such as Europe/Stockholm')),
  'Its clocks show the same time every week',
)
const day = described(
  v.pipe(
    v.string(),
    v.check(
      (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && fromTimestamp(text) !== undefined,
      'Expected a day such as 2026-12-31',
    ),
  ),
  'Last day of a weekly repetition, in time_zone',
)
const booking = v.object({
  start_time: time,
  end_time: time,
  qpu: described(v.optional(v.string(), ''), "Name or id of a QPU; '' = every QPU"),
  user: v.optional(described(v.string(), 'Id of the user to book for; only superusers name others')),
  weeks: v.optional(
    described(
      v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_WEEKS)),
      'Number of weekly slots',
    ),
  ),
  until: v.optional(day),
  time_zone: v.optional(zone, 'UTC'),
})
type Booking = v.InferOutput<typeof booking>

const slotResponse = shape('Slot', {
  id: v.string(),
  start_time: v.string(),
  end_time: v.string(),
  booked_by: v.string(),
  qpu: described(v.string(), "Id in qpus; '' = every QPU"),
  series: described(v.string(), "Shared by the slots of a repetition; '' = a single slot"),
})

/**
 * Booking for others, weekly repetition, and what the record routes cannot do with a slot. `slots` limits the
 * slots of each user, together with the record routes.
 */
export function bookingRoutes(slots: RateLimiter, clock: Clock): Route[] {
  // A year of slots takes 10 ms, and everybody would wait for all bookings that arrive together. Those of one
  // turn share a commit, and with it the pages of the log that it writes. `slots` bounds how many wait.
  const turns = new Turns(clock, BOOKINGS_PER_TURN_MS, 1)
  return [
    defineRoute('POST /api/bookings', {
      access: 'signed_in',
      summary: 'Book a slot, or one every week: all of them or none',
      body: booking,
      statuses: [201, 404],
      errors: {
        slot_overlap: 400,
        session_overlap: 409,
        slot_in_past: 400,
        slot_too_long: 400,
        slot_too_far_ahead: 400,
        superuser_only: 403,
      },
      response: v.object({ slots: v.array(slotResponse) }),
      async run({ db, config }, { body, caller }) {
        const times = timesOf(body)
        const own = await actingUser(db, caller)
        if (caller.kind !== 'superuser') slots.take(own.id, times.length)
        const user = body.user ?? own.id
        if (caller.kind !== 'superuser' && user !== own.id) throw onlyForSelf()
        const book = (tx: Tx) => {
          const request = { user: requireUser(tx, user), qpu: bookedQpu(tx, body.qpu), slots: times }
          if (caller.kind !== 'superuser') assertFree(tx, request, config)
          const conflicts = overlapsOf(tx, request)
          if (conflicts.length > 0) throw overlap(conflicts, times.length)
          const stored = bookSlots(tx, request)
          for (const slot of stored.slice(0, 1))
            audit(tx, caller, { action: 'booking.create', slot, count: stored.length })
          return stored
        }
        await turns.enter(own.id)
        const booked = await db.write('book slots', book)
        return new Reply(201, { slots: booked.map(presentSlot) })
      },
    }),
    defineRoute('DELETE /api/bookings/:id', {
      access: 'signed_in',
      summary: 'Cancel a slot, or it and the following ones of its weekly repetition',
      query: v.object({
        following: described(
          v.optional(v.picklist(['1', 'true', '0', 'false']), '0'),
          '1: also the later slots of the repetition',
        ),
      }),
      errors: { slot_started: 400 },
      response: v.object({ cancelled: v.number() }),
      async run(context, { caller, params, query }) {
        const user = await ownerOf(context, caller)
        const cancelled = await context.db.write('cancel slots', (tx) => {
          const slot = requireSlot(tx, params.id, user)
          if (user !== undefined && slot.start_time <= tx.at) throw begun()
          const isSeries = query.following === '1' || query.following === 'true'
          const count = cancelFollowing(tx, isSeries ? slot : { ...slot, series: '' })
          audit(tx, caller, { action: 'booking.cancel', slot, count })
          return count
        })
        return { cancelled }
      },
    }),
    defineRoute('POST /api/bookings/:id/end', {
      access: 'signed_in',
      summary: 'End a running slot now, so that others can book the rest',
      errors: { slot_not_running: 409 },
      response: slotResponse,
      async run(context, { caller, params }) {
        const user = await ownerOf(context, caller)
        const slot = await context.db.write('end slot', (tx) => {
          const ended = endSlot(tx, requireSlot(tx, params.id, user))
          audit(tx, caller, { action: 'booking.end', slot: ended, count: 1 })
          return ended
        })
        return presentSlot(slot)
      },
    }),
  ]
}

/** The times of all slots of a booking, as stored. @throws AppError `invalid`. */
function timesOf({ start_time, end_time, weeks, until, time_zone }: Booking) {
  const at = (text: string) => fromLocalTimestamp(text, time_zone) ?? Number.NaN
  const [start, end] = [at(start_time), at(end_time)]
  if (end <= start) throw refused('end_time', 'Must be after start_time.')
  if (weeks !== undefined && until !== undefined) throw refused('until', 'Send either weeks or until.')
  const count = until === undefined ? (weeks ?? 1) : weeksUntil(start, time_zone, until)
  if (count < 1) throw refused('until', 'Must not be before the day of start_time.')
  if (count > MAX_WEEKS) {
    throw refused('until', `A repetition has at most ${MAX_WEEKS} slots, not ${count}.`)
  }
  return repeatWeekly({ start, end, zone: time_zone, weeks: count }).map((slot) => ({
    start_time: toTimestamp(slot.start),
    end_time: toTimestamp(slot.end),
  }))
}

function refused(field: string, message: string): AppError {
  return badField('The slot cannot be booked', field, message)
}

/** The text lists the conflicts for people, the parameters for programs. */
function overlap(conflicts: readonly SlotConflict[], count: number): AppError {
  const busy = conflicts.map(({ booked }) => `${booked.start_time} to ${booked.end_time}`)
  const what =
    count === 1
      ? `The time overlaps with a slot from ${busy[0]}`
      : `${conflicts.length} of ${count} slots overlap with booked ones: ${busy.join(', ')}; none was booked`
  return badField(`${what}; choose a free time`, 'start_time', `${what}.`, {
    code: 'validation_slot_overlap',
    params: { conflicts },
    reason: 'slot_overlap',
  })
}

function begun(): AppError {
  return new AppError('invalid', 'The time slot has begun, so it can no longer be deleted; end it instead', {
    reason: 'slot_started',
  })
}

function onlyForSelf(): AppError {
  return new AppError('forbidden', 'Only superusers book slots for others; omit user', {
    reason: 'superuser_only',
  })
}

function requireUser(tx: Tx, id: string): string {
  const user = tx.find(users, id)
  if (!user || user.disabled) throw new AppError('not_found', `There is no active user ${id}`)
  return user.id
}

/** Whose slots a caller may change; undefined = everybody's. */
async function ownerOf({ db }: ServerContext, caller: Caller): Promise<string | undefined> {
  return caller.kind === 'superuser' ? undefined : (await actingUser(db, caller)).id
}

/** Only what superusers do is in the audit log, as with records. */
function audit(
  tx: Tx,
  caller: Caller,
  { action, slot, count }: { action: string; slot: TimeSlot; count: number },
): void {
  if (caller.kind !== 'superuser') return
  const { booked_by: user, qpu, start_time, end_time } = slot
  const detail = { user, qpu, start_time, end_time, slots: count }
  appendAudit(tx, { actor: callerName(caller), action, subject: slot.id, detail })
}

function presentSlot({ id, start_time, end_time, booked_by, qpu, series }: TimeSlot) {
  return { id, start_time, end_time, booked_by, qpu, series }
}
