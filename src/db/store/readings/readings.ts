/**
 * Readings of monitors as series for charts. The events are authoritative; every numeric reading is also
 * added to a bucket of each of the `STORED_STEPS`, so that a chart of any length reads few rows.
 *
 * Events are rolled up in the order of their `seq`; `meta` stores the last one in the same transaction. Each
 * event is therefore counted once, whether it came from a driver or an import, or is older than the series.
 */

import { KIB } from '../../../base/index.ts'
import { drivers } from '../../collections/drivers.ts'
import { type Dialect, ofDialect } from '../../engine/dialect.ts'
import type { SqlWriter, Statement } from '../../engine/sql.ts'
import { readServiceValue, storeServiceValue } from '../../journal/service-values.ts'
import type { ReadTx } from '../../records/tx.ts'
import { type BucketRange, STORED_STEPS, storedStep } from './reading-steps.ts'

/** Key in `meta` of the last event of which all readings are in the buckets. */
const ROLLED_UP = 'readings_rolled_up'
/** Key in `meta` of the number of readings of later events that are in the buckets. */
const PLACE = 'readings_rolled_up_place'

/**
 * Maximum number of series per driver. A driver with more channels is faulty; the others stay in the events
 * only.
 */
const SERIES_MAX = 1_000

/**
 * The readings of the events after $after up to $last that a chart can show, of which $from come before the
 * first one and $to up to the last one, in the order of events and names. Faults, texts and values that
 * the equipment itself marks as outdated are gaps. Numbers beyond 1e100 are excluded, since their sums could
 * overflow. A reading is as old as its value (`ts`), so that a sensor that stopped is not drawn as alive; no
 * value is newer than the event that reports it, whatever the clock of the equipment says.
 */
export const readingsSql = ofDialect(
  ({
    jsonFlag,
    jsonMembers,
    jsonKey,
    jsonNumber,
    jsonType,
    least,
    unindexed,
    unixSeconds,
  }) => `reading AS MATERIALIZED (
  SELECT * FROM (
    SELECT driver, channel, place,
      coalesce(${least('at', `CASE ${jsonType('body', 'ts')} WHEN 'text' THEN ${unixSeconds(jsonKey('body', 'ts'))} END`)}, at) AS at,
      coalesce(${jsonKey('body', 'unit')}, '') AS unit,
      CASE WHEN ${jsonType('body', 'value')} IN ('integer', 'real') THEN ${jsonNumber('body', 'value')} END AS value,
      ${jsonFlag('body', 'outdated')} AS is_outdated
    FROM (SELECT event.driver, part.key AS channel, ${unixSeconds('event.ts')} AS at,
            CASE part.type WHEN 'object' THEN part.value END AS body,
            row_number() OVER (ORDER BY event.seq, part.key) AS place
          FROM events event, ${jsonMembers('event.payload', 'readings')} part
          WHERE event.seq > $after AND event.seq <= $last AND ${unindexed('event.type')} = 'CryostatReading') places
    WHERE place > $from AND place <= $to) parts
  WHERE driver <> '' AND length(channel) <= 200 AND length(unit) <= 50 AND at >= 0
    AND abs(value) <= 1e100 AND is_outdated IS DISTINCT FROM 1)`,
)

/**
 * Known series stay; new ones are added in alphabetical order up to the maximum. No reading is newer than the
 * clock of the server, since one of a driver whose clock was ahead would be the newest for as long.
 */
const addSeries = ofDialect(
  (dialect) => `WITH ${readingsSql(dialect)},
  taken AS MATERIALIZED (SELECT driver, count(*) AS series FROM reading_series GROUP BY driver),
  found AS (
    SELECT driver, channel, unit, max(at) AS last, max(value) FILTER (WHERE age = 1) AS newest, known.id,
      row_number() OVER (PARTITION BY driver, known.id IS NULL ORDER BY channel, unit) AS place
    FROM (SELECT driver, channel, unit, at, value,
            row_number() OVER (PARTITION BY driver, channel, unit ORDER BY at DESC, place DESC) AS age
          FROM reading) aged
      LEFT JOIN (SELECT id, driver, channel, unit FROM reading_series) known USING (driver, channel, unit)
    GROUP BY driver, channel, unit, known.id)
  INSERT INTO reading_series (driver, channel, unit, last, newest)
  SELECT driver, channel, unit, ${dialect.least('last', '$now')}, newest FROM found
  WHERE id IS NOT NULL
    OR place + coalesce((SELECT series FROM taken WHERE taken.driver = found.driver), 0) <= ${SERIES_MAX}
  ON CONFLICT (driver, channel, unit) DO UPDATE SET
    newest = CASE WHEN excluded.last >= reading_series.last THEN excluded.newest ELSE reading_series.newest END,
    last = ${dialect.greatest('reading_series.last', 'excluded.last')}`,
)

/** Grouped by bucket first only where that is required: it takes longer than updating the same row. */
const addBuckets = ofDialect((dialect) => {
  const all = (aggregate: string) => (dialect.repeatsUpserts ? 'value' : `${aggregate}(value)`)
  const [count, grouped] = dialect.repeatsUpserts ? ['1', ''] : ['count(*)', 'GROUP BY 1, 2, 3, 4']
  return `WITH ${readingsSql(dialect)},
  found AS MATERIALIZED (
    SELECT driver, at, value, series.id AS series
    FROM reading JOIN reading_series series USING (driver, channel, unit))
  INSERT INTO reading_buckets (driver, step, start, series, low, high, total, readings)
  SELECT driver, step, at - at % step, series, ${all('min')}, ${all('max')}, ${all('sum')}, ${count}
  FROM (SELECT column1 AS step FROM (VALUES ${STORED_STEPS.map((step) => `(${step})`).join()}) listed) steps CROSS JOIN found
  WHERE true ${grouped}
  ON CONFLICT (driver, step, start, series) DO UPDATE SET low = ${dialect.least('reading_buckets.low', 'excluded.low')},
    high = ${dialect.greatest('reading_buckets.high', 'excluded.high')}, total = reading_buckets.total + excluded.total,
    readings = reading_buckets.readings + excluded.readings`
})

/** Bytes of events after which a step ends. */
const MAX_STEP_BYTES = 16 * KIB
/** Readings of a step: a driver may put a thousand into one event, which take 20 to 40 ms. */
const MAX_STEP_READINGS = 200

/** Events by `seq`: those after `after` up to `last`. */
export interface EventRange {
  after: number
  last: number
}

/** What a step has added to the buckets. */
interface RollUpStep extends EventRange {
  /** Number of events of which all readings are in the buckets now; 0 after a part of one. */
  events: number
  /** Whether further events may wait. */
  isFull: boolean
}

/**
 * Adds the next readings to the buckets: 200, of at most `limit` events, and of none after the first 16 KiB.
 */
export function rollUpReadings(tx: SqlWriter, limit: number): RollUpStep {
  const after = numberOf(tx, ROLLED_UP)
  const from = numberOf(tx, PLACE)
  const next = tx.one<{ found: number; events: number; last: number | null }>(
    `SELECT count(*) AS found, count(*) FILTER (WHERE upto - bytes < $most) AS events,
       max(seq) FILTER (WHERE upto - bytes < $most) AS last
     FROM (SELECT seq, bytes, sum(bytes) OVER (ORDER BY seq) AS upto
           FROM (SELECT seq, coalesce(octet_length(payload), 0) AS bytes
                 FROM events WHERE seq > $after ORDER BY seq LIMIT $limit) next) sums`,
    { after, limit, most: MAX_STEP_BYTES },
  )
  if (!next?.last) return { events: 0, isFull: false, after, last: after }
  const { found, events, last } = next
  const part = { after, last, from, to: from + MAX_STEP_READINGS }
  tx.run(addSeries(tx.dialect), { ...part, now: Math.floor(tx.now / 1_000) })
  tx.run(addBuckets(tx.dialect), part)
  const readings = tx.one<{ n: number }>(countReadings(tx.dialect), { after, last })?.n ?? 0
  const isWhole = readings <= part.to
  // Fewer events than of the step before may have fewer readings than are in the buckets.
  const place = isWhole ? Math.max(0, from - readings) : part.to
  if (place !== from) keep(tx, PLACE, place)
  if (!isWhole) return { events: 0, isFull: true, after, last: after }
  keep(tx, ROLLED_UP, last)
  return { events, isFull: found === limit || events < found, after, last }
}

const countReadings = ofDialect(
  ({
    jsonMembers,
    unindexed,
  }) => `SELECT count(*) AS n FROM events event, ${jsonMembers('event.payload', 'readings')} part
  WHERE event.seq > $after AND event.seq <= $last AND ${unindexed('event.type')} = 'CryostatReading'`,
)

function numberOf(tx: SqlWriter, key: string): number {
  return Number(readServiceValue(tx, key) ?? 0)
}

function keep(tx: SqlWriter, key: string, number: number): void {
  storeServiceValue(tx, key, String(number))
}

/** A channel of a driver in one unit; a channel whose unit changed has two series. */
interface ReadingSeries {
  id: number
  channel: string
  unit: string
  /** Time of the newest reading, s since the epoch. */
  last: number
  /** Its value; null for one that an earlier version has added up. */
  newest: number | null
}

/** The channels that a driver has reported, or those of them in `channels`, in alphabetical order. */
export function listReadingSeries(tx: ReadTx, driver: string, channels?: readonly string[]): ReadingSeries[] {
  return tx.all<ReadingSeries>(
    `SELECT id, channel, unit, last, newest FROM reading_series WHERE driver = $driver
       ${channels ? `AND channel IN ${tx.dialect.jsonTexts('$channels')}` : ''}
     ORDER BY channel, unit`,
    channels ? { driver, channels: JSON.stringify(channels) } : { driver },
  )
}

/** Ids of the drivers with this id or name, including a removed one whose readings are still stored. */
export function findReadingDrivers(tx: ReadTx, text: string): string[] {
  if (tx.find(drivers, text) || tx.one('SELECT 1 FROM reading_series WHERE driver = $text', { text }))
    return [text]
  return tx.list(drivers, { where: { name: text } }).map(({ id }) => id)
}

/** The readings of a series in one bucket. */
export interface ReadingBucket {
  series: number
  /** Start, s since the epoch. */
  start: number
  min: number
  mean: number
  max: number
  count: number
}

interface BucketQuery {
  driver: string
  series: readonly ReadingSeries[]
  range: BucketRange
}

/** Stored buckets that are summed on the event loop at most: a few ms. */
const MAX_SUMMED_AT_ONCE = 5_000

/**
 * The buckets with readings of a driver's series, by series and time; undefined if summing them may take
 * longer than the event loop can wait. Then a reader process runs `bucketsOf`.
 */
export function readBuckets(tx: ReadTx, query: BucketQuery): ReadingBucket[] | undefined {
  const { series, range } = query
  const stored = (series.length * (range.to - range.from)) / storedStep(range.step)
  if (stored > MAX_SUMMED_AT_ONCE) return undefined
  const { sql, params } = bucketsOf(tx, query)
  return tx.all<ReadingBucket>(sql, params)
}

/** Selects these buckets. */
export function bucketsOf(
  { dialect: { greatest, jsonNumbers, least } }: { readonly dialect: Dialect },
  { driver, series, range }: BucketQuery,
): Statement {
  return {
    // Rounding must not move the mean outside the range of the readings.
    sql: `SELECT series, start - start % $step AS start, min(low) AS min, max(high) AS max, sum(readings) AS count,
       ${greatest('min(low)', least('max(high)', 'sum(total) / sum(readings)'))} AS mean
     FROM reading_buckets
     WHERE driver = $driver AND step = $stored AND start >= $from AND start < $to
       AND series IN ${jsonNumbers('$series')}
     GROUP BY 1, 2 ORDER BY 1, 2`,
    params: {
      driver,
      stored: storedStep(range.step),
      from: range.from,
      to: range.to,
      step: range.step,
      series: JSON.stringify(series.map(({ id }) => id)),
    },
  }
}

/** A row that `bucketsOf` selected. */
export function bucketOf(row: Readonly<Record<string, unknown>>): ReadingBucket {
  const { series, start, min, mean, max, count } = row
  return {
    series: Number(series),
    start: Number(start),
    count: Number(count),
    min: Number(min),
    mean: Number(mean),
    max: Number(max),
  }
}
