import * as v from 'valibot'
import { AppError, type Clock, newSecret } from '../../base/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import {
  type CalendarFeed,
  changeCalendarFeed,
  findCalendarByHash,
  findCalendarFeed,
  removeCalendarFeed,
  saveCalendarFeed,
} from '../../db/store/bookings/index.ts'
import { hashToken } from '../access-token.ts'
import { RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import { clientOf } from '../auth/access-audit.ts'
import { actingUser } from '../auth/acting-user.ts'
import { callerName } from '../http/caller.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'
import { bookedQpu } from './bookable.ts'
import { calendarOf } from './calendar.ts'

const SECRET_BYTES = 32
const MAX_FILE_LENGTH = 100

const qpu = described(
  v.pipe(v.string(), v.maxLength(100)),
  "Name or id of a QPU whose calibrations and maintenance are included; '' = none",
)
const feedResponse = shape('CalendarFeed', {
  qpu: described(v.string(), "Id in qpus; '' = the own slots only"),
  created: described(v.string(), 'When the address was created'),
})

interface CalendarDependencies {
  clock: Clock
  /** Base URL under which users reach the server. */
  publicUrl: () => string
}

/**
 * The calendar of the caller at a secret address, which is returned when it is created; only its hash is
 * stored, so that the database does not reveal it and finding it takes the same time for all.
 */
export function calendarRoutes({ clock, publicUrl }: CalendarDependencies): Route[] {
  const changes = new RateLimiter(RATES.calendarChanges, clock)
  const reads = new RateLimiter(RATES.calendarReads, clock)
  return [
    defineRoute('GET /api/calendar-feed', {
      access: 'signed_in',
      summary: "Retrieve the caller's calendar feed, without its secret address",
      response: v.object({ feed: v.nullable(feedResponse) }),
      async run({ db }, { caller }) {
        const { id } = await actingUser(db, caller)
        const feed = await db.read((tx) => findCalendarFeed(tx, id))
        return { feed: feed ? presentFeed(feed) : null }
      },
    }),
    defineRoute('POST /api/calendar-feed', {
      access: 'signed_in',
      summary: 'Create the secret address of the calendar feed; it replaces the one before',
      body: v.object({ qpu: v.optional(qpu, '') }),
      statuses: [201, 404],
      response: shape('NewCalendarFeed', {
        ...feedResponse.entries,
        url: described(v.string(), 'Address of the calendar; shown once'),
      }),
      async run({ db }, { body, caller, ...call }) {
        const { id } = await actingUser(db, caller)
        changes.take(id)
        const secret = newSecret(SECRET_BYTES)
        const feed = await db.write('create calendar feed', (tx) => {
          const created = saveCalendarFeed(tx, {
            user: id,
            hash: hashToken(secret),
            qpu: bookedQpu(tx, body.qpu),
          })
          appendAudit(tx, {
            actor: callerName(caller),
            action: 'calendar_feed.create',
            subject: id,
            personal: { ...clientOf(call) },
          })
          return created
        })
        return new Reply(201, { ...presentFeed(feed), url: `${publicUrl()}/api/calendar/${secret}.ics` })
      },
    }),
    defineRoute('PATCH /api/calendar-feed', {
      access: 'signed_in',
      summary: 'Change what the calendar feed contains; its address stays',
      body: v.object({ qpu }),
      statuses: [200, 404],
      response: feedResponse,
      async run({ db }, { body, caller }) {
        const { id } = await actingUser(db, caller)
        changes.take(id)
        const feed = await db.write('change calendar feed', (tx) => {
          if (!changeCalendarFeed(tx, { user: id, qpu: bookedQpu(tx, body.qpu) })) throw noFeed()
          return findCalendarFeed(tx, id)
        })
        if (!feed) throw noFeed()
        return presentFeed(feed)
      },
    }),
    defineRoute('DELETE /api/calendar-feed', {
      access: 'signed_in',
      summary: 'Revoke the address of the calendar feed; it becomes invalid immediately',
      statuses: [200, 404],
      response: v.object({ status: v.literal('deleted') }),
      async run({ db }, { caller, ...call }) {
        const { id } = await actingUser(db, caller)
        await db.write('revoke calendar feed', (tx) => {
          if (!removeCalendarFeed(tx, id)) throw noFeed()
          appendAudit(tx, {
            actor: callerName(caller),
            action: 'calendar_feed.delete',
            subject: id,
            personal: { ...clientOf(call) },
          })
        })
        return { status: 'deleted' }
      },
    }),
    defineRoute('GET /api/calendar/:file', {
      access: 'public',
      summary: 'Read a calendar (RFC 5545) at its secret address, which ends with .ics',
      media: 'text/calendar; charset=utf-8',
      headers: { 'If-None-Match': 'The ETag of an earlier response: 304 if the calendar has not changed' },
      statuses: [200, 304],
      async run({ db, config }, { params, request }) {
        const [, secret] = /^([\w-]+)\.ics$/.exec(params.file.slice(0, MAX_FILE_LENGTH)) ?? []
        const feed =
          secret === undefined ? undefined : await db.read((tx) => findCalendarByHash(tx, hashToken(secret)))
        if (!feed) throw noFeed()
        reads.take(feed.user)
        const site = { siteName: config.siteName, host: new URL(publicUrl()).hostname }
        return calendarResponse(await db.read((tx) => calendarOf(tx, feed, site)), request)
      },
    }),
  ]
}

function calendarResponse(text: string, { headers: asked }: Request): Response {
  const etag = `"${new Bun.CryptoHasher('sha256').update(text).digest('base64url')}"`
  const headers = { etag, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  const known = (asked.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*')) return new Response(null, { status: 304, headers })
  return new Response(text, {
    headers: {
      ...headers,
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'inline; filename="bookings.ics"',
      'referrer-policy': 'no-referrer',
    },
  })
}

function noFeed(): AppError {
  return new AppError('not_found', 'There is no such calendar')
}

function presentFeed({ qpu: included, created }: CalendarFeed) {
  return { qpu: included, created }
}
