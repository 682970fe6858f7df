import * as v from 'valibot'
import { AppError, DAY_MS, toTimestamp } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import {
  type BucketRange,
  bucketOf,
  bucketRange,
  bucketsOf,
  findReadingDrivers,
  listReadingSeries,
  type ReadingBucket,
  readBuckets,
} from '../../db/store/readings/index.ts'
import { readingOf } from '../http/reading.ts'
import { badQuery, moment, whole } from '../http/request/list-query.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'

const MAX_POINTS = 2_000
/** Buckets of all channels together: about 1 MB of JSON. */
const MAX_BUCKETS = 20_000

const numbers = (what: string) => described(v.array(v.number()), what)
const series = shape('ReadingSeries', {
  channel: v.string(),
  unit: described(v.string(), 'A channel whose unit has changed has two series'),
  last: described(v.string(), 'Time of the newest reading, UTC'),
  value: described(v.nullable(v.number()), 'The newest reading; null = not known yet'),
  at: numbers('Starts of the buckets that have readings, ms since the epoch'),
  min: numbers('Minimum of each of these buckets'),
  mean: numbers('Mean of each bucket'),
  max: numbers('Maximum of each bucket'),
  count: numbers('Number of readings of each bucket'),
})

/** Readings of monitors for charts. The events themselves are read by the record routes. */
export const eventRoutes: Route[] = [
  defineRoute('GET /api/events/series', {
    access: 'signed_in',
    summary: 'Readings of a monitor over time: minimum, mean and maximum of each bucket, by channel',
    query: v.object({
      driver: described(v.pipe(v.string(), v.nonEmpty()), 'Id or name of a driver'),
      channel: v.optional(
        described(v.string(), 'Channels, separated by commas; all channels of the driver if omitted'),
      ),
      from: v.optional(moment),
      to: v.optional(moment),
      points: v.optional(whole(1, MAX_POINTS), '500'),
    }),
    statuses: [200, 404],
    response: v.object({
      driver: described(v.string(), 'Id of the driver'),
      from: described(v.string(), 'Start of the first bucket, UTC'),
      to: described(v.string(), 'End of the last bucket, UTC'),
      step_ms: described(v.number(), 'Length of a bucket'),
      series: v.array(series),
    }),
    async run({ db, clock }, { query, caller, address, request, setIdleTimeout }) {
      const to = query.to ?? clock.now()
      const from = query.from ?? to - DAY_MS
      if (to <= from) throw badQuery('to', `Must be after from, which is ${toTimestamp(from)}.`)
      const channels = query.channel?.split(',').map((channel) => channel.trim())
      const found = await db.read((tx) => {
        const driver = findDriver(tx, query.driver)
        return findBuckets(tx, { driver, channels, from, to, points: query.points })
      })
      const { driver, series: known, range } = found
      const buckets = found.buckets ?? (await selectBuckets())
      return { driver, ...presentSeries(known, range, buckets) }

      async function selectBuckets(): Promise<ReadingBucket[]> {
        const reading = readingOf(caller, address, { request, setIdleTimeout })
        const { rows } = await db.select({ rows: bucketsOf(db, { driver, series: known, range }) }, reading)
        return rows.map(bucketOf)
      }
    },
  }),
]

/** The id of the only driver with this id or name. */
function findDriver(tx: ReadTx, text: string): string {
  const [driver, ...others] = findReadingDrivers(tx, text)
  if (driver === undefined) throw new AppError('not_found', `There is no driver ${text}`)
  if (others.length > 0) {
    throw badQuery('driver', `${others.length + 1} drivers have the name ${text}; use an id.`)
  }
  return driver
}

interface SeriesQuery {
  driver: string
  channels: readonly string[] | undefined
  from: number
  to: number
  points: number
}

/** The series, and their buckets as far as the event loop may sum them. */
function findBuckets(tx: ReadTx, { driver, channels, from, to, points }: SeriesQuery) {
  const series = listReadingSeries(tx, driver, channels)
  const share = Math.max(1, Math.floor(MAX_BUCKETS / Math.max(1, series.length)))
  const range = bucketRange(from, to, Math.min(points, share))
  return { driver, series, range, buckets: readBuckets(tx, { driver, series, range }) }
}

function presentSeries(
  known: ReturnType<typeof listReadingSeries>,
  range: BucketRange,
  found: readonly ReadingBucket[],
) {
  const buckets = Map.groupBy(found, (bucket) => bucket.series)
  return {
    from: toTimestamp(range.from * 1_000),
    to: toTimestamp(range.to * 1_000),
    step_ms: range.step * 1_000,
    series: known.map(({ id, channel, unit, last, newest }) => ({
      channel,
      unit,
      last: toTimestamp(last * 1_000),
      value: newest,
      ...columns(buckets.get(id) ?? []),
    })),
  }
}

/** The buckets as lists of equal length, the form that charts use. */
function columns(buckets: readonly ReadingBucket[]) {
  return {
    at: buckets.map(({ start }) => start * 1_000),
    min: buckets.map(({ min }) => min),
    mean: buckets.map(({ mean }) => mean),
    max: buckets.map(({ max }) => max),
    count: buckets.map(({ count }) => count),
  }
}
