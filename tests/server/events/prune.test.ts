import { describe, expect, test } from 'bun:test'
import { createLog, toTimestamp } from '../../../src/base/index.ts'
import type { Database } from '../../../src/db/index.ts'
import { calibrationRequests, calibrationResults } from '../../../src/db/store/calibrations/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { Pruner } from '../../../src/server/events/prune.ts'
import { LiveConfig, readConfig } from '../../../src/server/index.ts'
import { openTestDatabase } from '../../support/database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer } from '../../support/server/server.ts'
import { until } from '../../support/until.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const configOf = (flags: Record<string, string>) => readConfig({ flags, env: {} })

/** A pruner on a real database, with a log that is collected. */
async function open(flags: Record<string, string> = {}, given?: FakeClock) {
  const test = await openTestDatabase()
  const lines: Record<string, unknown>[] = []
  const log = createLog({ write: (line) => void lines.push(JSON.parse(line)), now: () => 0 })
  const live = new LiveConfig(configOf(flags))
  const clock = given ?? test.clock
  const pruner = new Pruner({ db: test.db, clock, log, live })
  const { loop } = pruner
  /** Moves the clock through the pauses of the current run, if any, to its end. */
  const untilIdle = async () => {
    await clock.advance(0)
    await until('the end of the run', () => loop.status.nextAt !== undefined, { clock })
  }
  return {
    ...test,
    clock,
    live,
    log,
    pruner,
    lines: () => lines.map(({ time, level, subject, ...rest }) => rest),
    untilIdle,
    /** Checks that the loop runs at its next time and not before, and waits for the end of that run. */
    async nextRun() {
      const { nextAt = 0, begunAt } = loop.status
      await clock.advance(nextAt - clock.now() - 1)
      expect(loop.status).toMatchObject({ nextAt, begunAt })
      await clock.advance(1)
      await untilIdle()
      expect(loop.status.begunAt).toBe(nextAt)
    },
    /** Runs `pruneOnce` to its end, through the pauses between its steps. */
    async tick() {
      const pruning = pruner.pruneOnce(new AbortController().signal)
      let isOver = false
      void pruning.finally(() => {
        isOver = true
      })
      await until('the pruning to end', () => isOver, { clock })
      await pruning
    },
    [Symbol.asyncDispose]: async () => {
      await loop.stop()
      await test[Symbol.asyncDispose]()
    },
  }
}

function addEvents(db: Database, count: number, atMs: number): Promise<unknown> {
  return db.write('events', (tx) => {
    for (let at = 0; at < count; at++) {
      tx.insert(events, { source: 'd', type: 'Reading', ts: toTimestamp(atMs).replace(' ', 'T') })
    }
  })
}

const countEvents = (db: Database) =>
  db.read((tx) => tx.one<{ events: number }>('SELECT count(*) AS events FROM events')?.events)

describe('pruneOnce()', () => {
  test('removes each kind by its own age and logs the numbers', async () => {
    await using pruning = await open({
      eventsRetention: '30m',
      calibrationRequestRetention: '2h',
      calibrationResultRetention: '3h',
      calibrationFitRetention: '1h',
    })
    const { db, clock } = pruning
    await addEvents(db, 1_001, clock.now() - HOUR_MS)
    await addEvents(db, 3, clock.now() - 60_000)
    await db.write('calibrations', (tx) => {
      const qpu = tx.insert(qpus, { name: 'north' }).id
      const driver = tx.insert(drivers, { name: 'tuner', operation: 'calibrate', qpu, token: 'ab' }).id
      for (const hours of [0.5, 1.5, 2.5, 3.5]) {
        const finished_at = toTimestamp(clock.now() - hours * HOUR_MS)
        tx.insert(calibrationRequests, { driver, mode: 'full', status: 'done', finished_at })
        tx.insert(calibrationResults, {
          driver,
          finished_at,
          routines: [{ name: 'rabi', fit: [1], params: 2 }],
        })
      }
    })
    await pruning.tick()
    expect(pruning.lines()).toEqual([
      { message: 'pruned 1001 expired events' },
      { message: 'pruned calibration data', requests: 2, reports: 1, stripped: 2 },
    ])
    expect(await countEvents(db)).toBe(3)
    const reports = await db.read((tx) => tx.list(calibrationResults).map(({ routines }) => routines))
    expect(reports).toEqual([
      [{ name: 'rabi', fit: [1], params: 2 }],
      [{ name: 'rabi', params: 2 }],
      [{ name: 'rabi', params: 2 }],
    ])
    await pruning.tick()
    expect(pruning.lines().length).toBe(2)
  })

  test('keeps ended jobs by default; with jobsRetention it removes those that ended before', async () => {
    for (const [flags, kept] of [
      [{}, 3],
      [{ jobsRetention: '2h' }, 2],
    ] as const) {
      await using pruning = await open(flags)
      const { db, clock } = pruning
      await db.write('jobs', (tx) => {
        tx.insert(quantumJobs, { status: 'pending' })
        for (const hours of [1, 3]) {
          const finished_at = toTimestamp(clock.now() - hours * HOUR_MS)
          tx.insert(quantumJobs, { status: 'completed', finished_at })
        }
        tx.run('UPDATE quantum_jobs SET created = $created', {
          created: toTimestamp(clock.now() - DAY_MS),
        })
      })
      await pruning.tick()
      expect(await db.read((tx) => tx.list(quantumJobs).length)).toBe(kept)
      expect(pruning.lines()).toEqual(kept === 2 ? [{ message: 'pruned 1 ended jobs' }] : [])
    }
  })

  test('removes nothing for a setting of 0', async () => {
    await using pruning = await open({ eventsRetention: '0', calibrationRequestRetention: '0' })
    await addEvents(pruning.db, 2, 0)
    await pruning.tick()
    expect(await countEvents(pruning.db)).toBe(2)
    expect(pruning.lines()).toEqual([])
  })

  test('pauses after each slice of steps', async () => {
    // Each step takes longer than a slice.
    await using pruning = await open({}, new FakeClock(undefined, 3))
    await addEvents(pruning.db, 51, 0)
    const idle = pruning.clock.sleepers
    const stop = new AbortController()
    const done = pruning.pruner.pruneOnce(stop.signal)
    await until('the pause', () => pruning.clock.sleepers > idle)
    expect(await countEvents(pruning.db)).toBe(1)
    stop.abort()
    await done
    expect(pruning.lines()).toEqual([{ message: 'pruned 50 expired events' }])
  })

  test('skips one run after the wall clock was set forward or back by more than a day', async () => {
    await using pruning = await open()
    const { db, clock } = pruning
    await addEvents(db, 4, clock.now())
    await pruning.tick()
    clock.jump(40 * DAY_MS)
    await pruning.tick()
    expect(await countEvents(db)).toBe(4)
    clock.jump(-40 * DAY_MS)
    await pruning.tick()
    expect(await countEvents(db)).toBe(4)
    const message = 'the clock was set by more than a day, pruning waits for the next interval'
    expect(pruning.lines()).toEqual([
      { message, jump: '960h' },
      { message, jump: '-960h' },
    ])
    clock.jump(DAY_MS - 1_000)
    await clock.advance(31 * DAY_MS)
    await pruning.tick()
    expect(await countEvents(db)).toBe(0)
  })
})

test('the first run after a start is skipped if the last one is more than a day away', async () => {
  await using pruning = await open()
  const { db, clock, live, log } = pruning
  await addEvents(db, 4, clock.now())
  await pruning.tick()
  for (const [days, left] of [
    [0.9, 4],
    [40, 4],
    [-40, 4],
    [31, 4],
  ] as const) {
    clock.jump(days * DAY_MS)
    await new Pruner({ db, clock, log, live }).pruneOnce(new AbortController().signal)
    expect(await countEvents(db)).toBe(left)
  }
  const message = 'the last pruning is more than a day away, pruning waits for the next interval'
  expect(pruning.lines()).toEqual([
    { message, away: '960h' },
    { message, away: '-960h' },
    { message, away: '744h' },
  ])
  await pruning.tick()
  expect(await countEvents(db)).toBe(4)
  await pruning.tick()
  expect(await countEvents(db)).toBe(0)
})

describe('start()', () => {
  test('runs at once, then every eventsPruneInterval', async () => {
    await using pruning = await open({ eventsRetention: '24h', eventsPruneInterval: '1h' })
    const { db, clock } = pruning
    await addEvents(db, 1, clock.now() - 2 * DAY_MS)
    await addEvents(db, 1, clock.now() - DAY_MS + 2 * HOUR_MS - 1)
    pruning.pruner.loop.start()
    await pruning.untilIdle()
    expect(await countEvents(db)).toBe(1)
    for (const left of [1, 0]) {
      await pruning.nextRun()
      expect(await countEvents(db)).toBe(left)
    }
  })

  test('with every age 0 only responses to keyed requests are removed; a reload takes effect', async () => {
    const never = { eventsRetention: '0', calibrationRequestRetention: '0', calibrationFitRetention: '0' }
    await using pruning = await open(never)
    const { db, clock, live } = pruning
    await addEvents(db, 1, clock.now() - 2 * DAY_MS)
    await db.write('key', (tx) =>
      tx.run(
        `INSERT INTO idempotency_keys ("user", key, route, body_hash, status, response, at)
         VALUES ('u', 'k', '', '', 200, '{}', '2020-01-01 00:00:00.000Z')`,
      ),
    )
    const keys = () => db.read((tx) => tx.all('SELECT key FROM idempotency_keys').length)
    pruning.pruner.loop.start()
    await until('the key to be removed', async () => (await keys()) === 0, { clock })
    expect(await countEvents(db)).toBe(1)
    live.replace(configOf({ ...never, eventsRetention: '24h' }))
    await until('the event to be removed', async () => (await countEvents(db)) === 0, { clock })
    live.replace(configOf(never))
    await pruning.untilIdle()
    await addEvents(db, 1, clock.now() - 2 * DAY_MS)
    await pruning.nextRun()
    expect(await countEvents(db)).toBe(1)
  })
})

test('a server prunes by its settings', async () => {
  await using server = await openTestServer({
    settings: { eventsRetention: '1h', eventsPruneInterval: '100ms' },
  })
  await addEvents(server.db, 2, server.context.clock.now() - 2 * HOUR_MS)
  await addEvents(server.db, 1, server.context.clock.now())
  await until('the old events to be removed', async () => (await countEvents(server.db)) === 1)
})
