import * as v from 'valibot'
import { AppError, toTimestamp } from '../../../base/index.ts'
import { EVENT_STREAM_HEADERS } from '../../http/media.ts'
import { badQuery, moment, whole } from '../../http/request/list-query.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { described } from '../../http/schema.ts'
import type { LogStore } from './log-store.ts'
import type { LogTails } from './log-tails.ts'
import { countLines, type Position, readLines } from './read-lines.ts'

const MAX_LIMIT = 1_000
const MAX_BUCKETS = 240

const level = v.optional(
  described(v.picklist(['debug', 'info', 'warn', 'error']), 'This level and above'),
  'debug',
)
const text = v.optional(
  described(v.pipe(v.string(), v.maxLength(200)), 'Text that the line contains, in any case'),
  '',
)
const position = v.pipe(
  v.string(),
  v.regex(/^\d{1,8}-\d{1,15}$/, 'Expected the `next` of a response'),
  v.transform((given): Position => {
    const [segment, offset] = given.split('-').map(Number)
    return { segment: segment ?? 0, offset: offset ?? 0 }
  }),
  v.description('Only older lines: `next` of a response'),
)

const line = v.looseObject({
  position: v.string(),
  time: v.string(),
  level: v.string(),
  subject: described(v.string(), 'Part of the server'),
  message: v.string(),
})

const amount = v.number()
const bucket = v.object({
  at: described(v.string(), 'Begin of the bucket, UTC'),
  debug: amount,
  info: amount,
  warn: amount,
  error: amount,
})

/** The log of the server, also from before its start. */
export function logRoutes(logs: LogStore | undefined, tails: LogTails): Route[] {
  return [
    defineRoute('GET /api/op/logs', {
      access: 'superuser',
      summary: 'List lines of the log, newest first, with the fields that were logged',
      query: v.object({
        level,
        text,
        from: v.optional(moment),
        to: v.optional(moment),
        before: v.optional(position),
        limit: v.optional(whole(1, MAX_LIMIT), '100'),
      }),
      errors: { log_not_stored: 404 },
      response: v.object({
        lines: v.array(line),
        next: described(
          v.nullable(v.string()),
          'Continue with before=; null at the end. A page may be short: a request reads 8 MiB',
        ),
      }),
      async run(_, { query: { before, limit, ...filter } }) {
        const store = stored(logs)
        await store.flush()
        const filled = { from: undefined, to: undefined, ...filter }
        const { lines, next } = await readLines(store.segments(), filled, { before, limit })
        return {
          lines: lines.map((each) => ({ ...each, position: textOf(each.position) })),
          next: next ? textOf(next) : null,
        }
      },
    }),
    defineRoute('GET /api/op/logs/histogram', {
      access: 'superuser',
      summary: 'Count the lines of the log by level in intervals of equal length',
      query: v.object({
        level,
        text,
        from: moment,
        to: moment,
        buckets: described(
          v.optional(whole(1, MAX_BUCKETS), '60'),
          `Number of intervals, 1 to ${MAX_BUCKETS}`,
        ),
        before: v.optional(position),
      }),
      errors: { log_not_stored: 404 },
      response: v.object({
        step_ms: described(v.number(), 'Length of an interval'),
        buckets: v.array(bucket),
        next: described(
          v.nullable(v.string()),
          'Continue with before= and add the numbers; null at the end. A request reads 8 MiB of the log',
        ),
      }),
      async run(_, { query: { from, to, buckets, before, ...filter } }) {
        if (to <= from) throw badQuery('to', 'Expected a time after `from`.')
        const store = stored(logs)
        await store.flush()
        const stepMs = Math.ceil((to - from) / buckets)
        const range = { from, to, stepMs }
        const { counts, next } = await countLines(store.segments(), range, { ...filter, before })
        return {
          step_ms: stepMs,
          buckets: counts.map((each, index) => ({ at: toTimestamp(from + index * stepMs), ...each })),
          next: next ? textOf(next) : null,
        }
      },
    }),
    defineRoute('GET /api/op/logs/tail', {
      access: 'superuser',
      summary: 'Follow the log: each line as an event `line`; `dropped` has the number of lines not sent',
      query: v.object({ level, text }),
      statuses: [200, 404],
      errors: { too_many_tails: 429 },
      media: 'text/event-stream',
      async run(_, { query, setIdleTimeout }) {
        const stream = tails.stream(stored(logs), query)
        setIdleTimeout(0)
        return new Response(stream, { headers: EVENT_STREAM_HEADERS })
      },
    }),
  ]
}

function stored(logs: LogStore | undefined): LogStore {
  if (logs) return logs
  throw new AppError('not_found', 'The log is not stored; start the server with --log-storage 64MiB', {
    reason: 'log_not_stored',
  })
}

function textOf({ segment, offset }: Position): string {
  return `${segment}-${offset}`
}
