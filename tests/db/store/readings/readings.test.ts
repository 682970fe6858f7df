import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toTimestamp } from '../../../../src/base/index.ts'
import type { Database } from '../../../../src/db/index.ts'
import { pruneReadings } from '../../../../src/db/store/maintenance/index.ts'
import { drivers, qpus } from '../../../../src/db/store/qpus/index.ts'
import {
  type BucketRange,
  bucketOf,
  bucketRange,
  bucketsOf,
  events,
  listReadingSeries,
  readBuckets,
  rollUpReadings,
} from '../../../../src/db/store/readings/index.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { onlySqlite } from '../../../support/postgres/only-sqlite.ts'
import { part } from '../../../support/whole.ts'

const START_MS = Date.UTC(2026, 0, 31, 9)
const wire = (ms: number) => toTimestamp(ms).replace(' ', 'T')

/** A reading as reported in an event, with its driver and channel. */
interface Reported {
  driver: string
  channel: string
  unit: string
  atMs: number
  value: number | null
  outdated: boolean
  /** Age of the value when the event was sent, s; none = the value has no time of its own. */
  ageS: number | null
}

/** Adds two monitors; returns their ids. */
function addMonitors(db: Database): Promise<string[]> {
  return db.write('monitors', (tx) => {
    const qpu = tx.insert(qpus, { name: 'north' }).id
    return ['one', 'two'].map(
      (name) => tx.insert(drivers, { name, operation: 'monitor', qpu, token: name }).id,
    )
  })
}

function addEvent(db: Database, driver: string, atMs: number, payload: unknown): Promise<unknown> {
  return db.write('event', (tx) =>
    tx.insert(events, { source: 'x', driver, type: 'CryostatReading', ts: wire(atMs), payload }),
  )
}

const report = (db: Database, { driver, channel, unit, atMs, value, outdated, ageS }: Reported) => {
  const ts = ageS === null ? {} : { ts: new Date(atMs - ageS * 1_000).toISOString() }
  return addEvent(db, driver, atMs, {
    readings: { [channel]: { value, unit, status: 'ok', outdated, ...ts } },
  })
}

async function rollUpAll(db: Database, most = 500): Promise<number> {
  let all = 0
  for (;;) {
    const { events: rows, isFull } = await db.write('roll up', (tx) => rollUpReadings(tx, most))
    all += rows
    if (!isFull) return all
  }
}

async function pruneAll(db: Database, before: number): Promise<void> {
  for (let rows = 1; rows > 0; ) {
    rows = await db.write('prune', (tx) => pruneReadings(tx, before, 7))
    expect(rows).toBeLessThanOrEqual(7)
  }
}

/** The buckets of a driver as the statement under test reads them, without ids. */
function stored(db: Database, driver: string, range: BucketRange) {
  return db.read((tx) => {
    const series = listReadingSeries(tx, driver)
    const names = new Map(series.map(({ id, channel, unit }) => [id, { channel, unit }]))
    const query = { driver, series, range }
    const { sql, params } = bucketsOf(tx, query)
    const selected = tx.all<Record<string, unknown>>(sql, params).map(bucketOf)
    expect(readBuckets(tx, query) ?? selected).toEqual(selected)
    return selected.map(({ series: id, ...rest }) => ({
      ...names.get(id),
      ...rest,
    }))
  })
}

/** The same by plain arithmetic over the reported values. */
function computed(reported: readonly Reported[], driver: string, { from, to, step }: BucketRange) {
  const shown = reported.flatMap(({ value, ...rest }) => {
    const at = Math.floor(rest.atMs / 1_000) - Math.max(0, rest.ageS ?? 0)
    const counts = rest.driver === driver && !rest.outdated && at >= from && at < to
    return value === null || !counts ? [] : [{ ...rest, value, start: Math.floor(at / step) * step }]
  })
  const groups = Map.groupBy(shown, ({ channel, unit, start }) => JSON.stringify([channel, unit, start]))
  return [...groups].map(([key, group]): Bucket => {
    const [channel, unit, start] = JSON.parse(key)
    const values = group.map(({ value }) => value)
    const mean = values.reduce((one, other) => one + other, 0) / values.length
    return {
      channel,
      unit,
      start,
      min: Math.min(...values),
      mean,
      max: Math.max(...values),
      count: values.length,
    }
  })
}

interface Bucket {
  channel?: string
  unit?: string
  start: number
  min: number
  mean: number
  max: number
  count: number
}

/** Equal except for the rounding of means. */
function expectSame(found: readonly Bucket[], expected: readonly Bucket[], scale: number): void {
  const key = ({ channel, unit, start }: Bucket) => JSON.stringify([channel, unit, start])
  const inOrder = (buckets: readonly Bucket[]) =>
    buckets.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
  const exact = (buckets: readonly Bucket[]) => inOrder(buckets).map(({ mean, ...rest }) => rest)
  expect(exact(found)).toEqual(exact(expected))
  const means = inOrder(expected).map(({ mean }) => mean)
  for (const [index, { mean, min, max }] of inOrder(found).entries()) {
    expect(Math.abs(mean - (means[index] ?? Number.NaN))).toBeLessThanOrEqual(1e-12 * scale)
    expect(mean >= min && mean <= max).toBe(true)
  }
}

const SPANS_MS = [20_000, 3_600_000, 40 * 86_400_000]
const arbitraryReport = (spanMs: number) =>
  fc.record({
    driver: fc.integer({ min: 0, max: 1 }).map(String),
    channel: fc.constantFrom('mapper.bf.t1', 'mapper.bf.p1'),
    unit: fc.constantFrom('K', 'mK', ''),
    atMs: fc.integer({ min: 0, max: spanMs }).map((ms) => START_MS + ms),
    // SQLite has no -0; adding 0 converts it to 0.
    value: fc.option(
      fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map((value) => value + 0),
      { freq: 8 },
    ),
    outdated: fc.boolean(),
    // A clock that is ahead gives a negative age.
    ageS: fc.option(fc.integer({ min: -20, max: spanMs / 1_000 })),
  })

test('series equal the values computed from the events, for any readings, ranges and points', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SPANS_MS).chain((spanMs) =>
        fc.record({
          reported: fc.array(arbitraryReport(spanMs), { maxLength: 60 }),
          most: fc.integer({ min: 1, max: 7 }),
          ranges: fc.array(
            fc.record({
              from: fc.integer({ min: -spanMs, max: spanMs }),
              lengthMs: fc.integer({ min: 1, max: 2 * spanMs }),
              points: fc.integer({ min: 1, max: 2_000 }),
            }),
            { minLength: 1, maxLength: 4 },
          ),
        }),
      ),
      async ({ reported, most, ranges }) => {
        await using test = await openTestDatabase()
        const ids = await addMonitors(test.db)
        const named = reported.map((each) => ({ ...each, driver: ids[Number(each.driver)] ?? '' }))
        for (const [index, each] of named.entries()) {
          await report(test.db, each)
          if (index % most === 0) await rollUpAll(test.db, most)
        }
        await rollUpAll(test.db, most)
        for (const { from, lengthMs, points } of ranges) {
          const range = bucketRange(START_MS + from, START_MS + from + lengthMs, points)
          expect((range.to - range.from) / range.step).toBeLessThanOrEqual(points + 1)
          for (const id of ids)
            expectSame(await stored(test.db, id, range), computed(named, id, range), 1e6 * reported.length)
        }
      },
    ),
    { numRuns: part(40, 15) },
  )
})

test('series after a pruning equal the values computed from the buckets that had not ended', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryReport(86_400_000), { maxLength: 60 }),
      fc.integer({ min: 0, max: 86_400 }),
      async (reported, agoS) => {
        await using test = await openTestDatabase()
        await test.clock.advance(2 * 86_400_000)
        const ids = await addMonitors(test.db)
        const named = reported.map((each) => ({ ...each, driver: ids[Number(each.driver)] ?? '' }))
        for (const each of named) await report(test.db, each)
        await rollUpAll(test.db)
        const cut = START_MS + agoS * 1_000
        await pruneAll(test.db, cut)
        for (const step of [1, 15, 300, 3_600, 7_200]) {
          // A day is a whole number of each of these steps.
          const range = { from: START_MS / 1_000, to: START_MS / 1_000 + 2 * 86_400, step }
          const from = Math.ceil(cut / 1_000 / step) * step
          const whole = { ...range, from }
          for (const id of ids)
            expectSame(await stored(test.db, id, whole), computed(named, id, whole), 1e6 * reported.length)
        }
        for (const id of ids) {
          const known = await test.db.read((tx) => listReadingSeries(tx, id))
          for (const { last } of known) expect(last).toBeGreaterThanOrEqual(Math.floor(cut / 1_000) - 7_200)
        }
      },
    ),
    { numRuns: part(40, 15) },
  )
})

describe('rollUpReadings()', () => {
  const whole: BucketRange = { from: 0, to: 4_000_000_000, step: 4_000_000_000 }
  const open = async () => {
    const test = await openTestDatabase()
    const [driver = ''] = await addMonitors(test.db)
    return { ...test, driver, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
  }

  test('counts each event once, however often it is called, and skips no event after a gap', async () => {
    await using test = await open()
    const { db, driver } = test
    const reading = { driver, channel: 't', unit: 'K', value: 1, outdated: false, ageS: null }
    for (const atMs of [1_000, 2_000, 3_000]) await report(db, { ...reading, atMs: START_MS + atMs })
    await db.write('remove', (tx) => tx.run('DELETE FROM events WHERE seq = 2'))
    expect([await rollUpAll(db, 1), await rollUpAll(db, 1)]).toEqual([2, 0])
    await report(db, { ...reading, value: 4, atMs: START_MS })
    expect(await rollUpAll(db)).toBe(1)
    expect(await stored(db, driver, { ...whole, step: 86_400 * 50_000 })).toMatchObject([
      { min: 1, mean: 2, max: 4, count: 3 },
    ])
  })

  test('adds the readings of large events in parts, each once, whatever number of events a step has', async () => {
    await using test = await open()
    const { db, driver } = test
    const readings = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [`c${at}`, { value: at, unit: 'K', status: 'ok' }]),
    )
    await addEvent(db, driver, START_MS, { readings })
    const few = (at: number) => Object.fromEntries(Object.entries(readings).slice(at * 50, at * 50 + 50))
    for (let at = 0; at < 5; at += 1) await addEvent(db, driver, START_MS, { readings: few(at) })
    const step = async (most: number) => {
      const { events, isFull } = await db.write('roll up', (tx) => rollUpReadings(tx, most))
      return { events, isFull }
    }
    const part = { events: 0, isFull: true }
    expect([await step(9), await step(9), await step(9)]).toEqual([part, part, { events: 1, isFull: true }])
    // 250 readings of five events: after the first 200, steps of one event.
    expect(await step(9)).toEqual(part)
    const one = { events: 1, isFull: true }
    expect([await step(1), await step(1), await step(9)]).toEqual([one, one, { events: 3, isFull: false }])
    expect(await step(9)).toEqual({ events: 0, isFull: false })
    const buckets = await stored(db, driver, { ...whole, step: 86_400 * 50_000 })
    const counts = new Map(buckets.map(({ channel, count }) => [channel, count]))
    expect(Object.keys(readings).map((channel) => counts.get(channel))).toEqual(
      Object.keys(readings).map((_, at) => (at < 250 ? 2 : 1)),
    )
  })

  test('treats readings without a number as gaps, and continues after events of any other form', async () => {
    await using test = await open()
    const { db, driver } = test
    for (const payload of [
      null,
      'text',
      [],
      { readings: 'none' },
      { readings: ['a', 1, null] },
      { readings: { a: 'text', b: 1, c: null, d: [], e: {}, f: { value: '1' }, g: { value: true } } },
      { readings: { h: { value: null, unit: 'K' }, i: { value: 1e300 }, ['j'.repeat(201)]: { value: 1 } } },
      { readings: { k: { value: 1, unit: 'K', outdated: true } } },
      {
        readings: { l: { value: 2, unit: { a: 1 } }, m: { value: 2 }, 'n.o"\'$[0]': { value: 3, unit: 'K' } },
      },
    ]) {
      await addEvent(db, driver, START_MS, payload)
    }
    await db.write('event', (tx) => {
      tx.insert(events, {
        source: 'x',
        driver,
        type: 'Other',
        ts: wire(0),
        payload: { readings: { a: { value: 1 } } },
      })
      tx.insert(events, {
        source: 'x',
        type: 'CryostatReading',
        ts: wire(0),
        payload: { readings: { a: { value: 1 } } },
      })
      tx.insert(events, {
        source: 'x',
        driver,
        type: 'CryostatReading',
        ts: 'yesterday',
        payload: { readings: { a: { value: 1 } } },
      })
    })
    await rollUpAll(db)
    const series = await db.read((tx) => listReadingSeries(tx, driver))
    expect(series.map(({ channel, unit }) => [channel, unit])).toEqual([
      ['l', '{"a":1}'],
      ['m', ''],
      ['n.o"\'$[0]', 'K'],
    ])
  })

  test('accepts 1,000 channels of a driver, and further readings of those', async () => {
    await using test = await open()
    const { db, driver } = test
    const readings = (first: number, value: number) =>
      Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`c${first + at}`, { value, unit: 'K' }]))
    for (const first of [0, 500, 1_000, 0]) {
      await addEvent(db, driver, START_MS + first * 1_000, { readings: readings(first, first) })
      await rollUpAll(db)
    }
    const series = await db.read((tx) => listReadingSeries(tx, driver))
    expect(series.length).toBe(1_000)
    const buckets = await stored(db, driver, { ...whole, step: 86_400 * 50_000 })
    expect(buckets.find(({ channel }) => channel === 'c7')).toMatchObject({ count: 2 })
  })

  test('accepts no more than 1,000 channels of a driver from events that are added at once', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    const [driver = '', other = ''] = await addMonitors(db)
    const readings = (first: number) =>
      Object.fromEntries(Array.from({ length: 800 }, (_, at) => [`c${first + at}`, { value: 1, unit: 'K' }]))
    await addEvent(db, driver, START_MS, { readings: readings(0) })
    await rollUpAll(db)
    for (const first of [500, 1_000]) await addEvent(db, driver, START_MS, { readings: readings(first) })
    await addEvent(db, other, START_MS, { readings: readings(0) })
    await rollUpAll(db)
    const counts = await db.read((tx) =>
      tx.all('SELECT count(*) AS found FROM reading_series GROUP BY driver ORDER BY 1'),
    )
    expect(counts).toEqual([{ found: 800 }, { found: 1_000 }])
  })
})

test.skipIf(onlySqlite('its plans'))(
  'a chart reads one range of the table, and a roll-up one range of events',
  async () => {
    await using test = await openTestDatabase()
    const plan = await test.db.read((tx) =>
      tx.explain(`SELECT series, start - start % 60, min(low) FROM reading_buckets
       WHERE driver = 'a' AND step = 15 AND start >= 1 AND start < 2 AND series IN (SELECT value FROM json_each('[1]'))
       GROUP BY 1, 2`),
    )
    expect(plan[0]).toMatch(/^SEARCH reading_buckets USING PRIMARY KEY \(driver=\? AND step=\? AND start>\?/)
  },
)

test('readBuckets() leaves the sum of many stored buckets to a reader process', async () => {
  await using test = await openTestDatabase()
  const series = Array.from({ length: 5 }, (_, id) => ({
    id,
    channel: `c${id}`,
    unit: 'K',
    last: 0,
    newest: null,
  }))
  const read = (to: number) =>
    test.db.read((tx) => readBuckets(tx, { driver: 'd', series, range: { from: 0, to, step: 1 } }))
  expect(await read(1_000)).toEqual([])
  expect(await read(1_001)).toBeUndefined()
})
