import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Params, SqlWriter } from '../../../../src/db/engine/sql.ts'
import type { Database } from '../../../../src/db/index.ts'
import { calibrationRequests, calibrationResults } from '../../../../src/db/store/calibrations/index.ts'
import {
  type PruneStep,
  pruneCalibrationRequests,
  pruneCalibrationResults,
  pruneEvents,
  pruneIdempotencyKeys,
} from '../../../../src/db/store/maintenance/index.ts'
import { oldReport } from '../../../../src/db/store/maintenance/strip-report.ts'
import { drivers, qpus } from '../../../../src/db/store/qpus/index.ts'
import { events } from '../../../../src/db/store/readings/index.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { onlySqlite } from '../../../support/postgres/only-sqlite.ts'

const BEFORE = Date.UTC(2026, 0, 10, 12)
const EARLIER = '2026-01-10 11:59:59.999Z'
const LATER = '2026-01-10 12:00:00.000Z'

const step = (db: Database, prune: PruneStep) => db.write('prune', (tx) => prune(tx, BEFORE, 500))

/** Adds a tuner; returns its id. */
function addTuner(db: Database): Promise<string> {
  return db.write('tuner', (tx) => {
    const qpu = tx.insert(qpus, { name: 'north' }).id
    return tx.insert(drivers, { name: 'tuner', operation: 'calibrate', qpu, token: 'ab' }).id
  })
}

describe('pruneEvents()', () => {
  test('removes what happened before the moment, regardless of the form in which the driver wrote its time', async () => {
    await using test = await openTestDatabase()
    await test.db.write('events', (tx) => {
      for (const ts of [
        '2026-01-10T11:59:59.999Z',
        '2026-01-10T12:00:00.000Z',
        '2026-01-10T12:59:59.999999+01:00',
        '2026-01-10T11:00:00-01:00',
        '2026-01-10 11:59:59Z',
      ]) {
        tx.insert(events, { source: ts, type: 'Reading', ts })
      }
    })
    expect(await step(test.db, pruneEvents)).toBe(3)
    const left = await test.db.read((tx) => tx.list(events).map(({ source, ts }) => [source, ts]))
    expect(left).toEqual([
      ['2026-01-10T12:00:00.000Z', '2026-01-10T12:00:00.000Z'],
      ['2026-01-10T11:00:00-01:00', '2026-01-10T12:00:00.000Z'],
    ])
  })

  test('removes at most the oldest 500 and publishes no change of single rows', async () => {
    await using test = await openTestDatabase()
    await test.db.write('events', (tx) => {
      for (let n = 0; n < 1_200; n += 1) {
        tx.post(
          `INSERT INTO events (id, source, type, ts, created, updated) VALUES ($id, 'd', 'Reading', $ts, '', '')`,
          { id: String(n).padStart(15, '0'), ts: `2026-01-0${1 + (n % 9)}T00:00:00.000Z` },
        )
      }
    })
    const published: unknown[] = []
    test.db.changes.subscribe((changes) => published.push(...changes))
    const counts: number[] = []
    while (counts.at(-1) !== 0) counts.push(await step(test.db, pruneEvents))
    expect(counts).toEqual([500, 500, 200, 0])
    expect(published).toEqual([])
  })
})

describe('pruneCalibrationRequests()', () => {
  test('removes requests that have ended, never pending or running ones; reports keep their id', async () => {
    await using test = await openTestDatabase()
    const driver = await addTuner(test.db)
    const created = await test.db.write('requests', (tx) => {
      const add = (
        values: Partial<{ status: 'pending' | 'running' | 'done' | 'failed'; finished_at: string }>,
      ) => tx.insert(calibrationRequests, { driver, mode: 'full', ...values }).id
      const old = add({ status: 'done', finished_at: EARLIER })
      add({ status: 'failed', finished_at: EARLIER })
      const ended = add({ status: 'failed' })
      tx.run('UPDATE calibration_requests SET updated = $EARLIER WHERE id = $ended', { EARLIER, ended })
      const kept = [
        add({ status: 'done', finished_at: LATER }),
        add({ status: 'failed' }),
        add({ status: 'pending' }),
        add({ status: 'running' }),
      ]
      for (const id of kept.slice(2)) {
        tx.run("UPDATE calibration_requests SET updated = '2020', created = '2020' WHERE id = $id", { id })
      }
      return { kept, old, report: tx.insert(calibrationResults, { driver, request: old }).id }
    })
    expect(await step(test.db, pruneCalibrationRequests)).toBe(3)
    const left = await test.db.read((tx) => tx.list(calibrationRequests).map(({ id }) => id))
    expect(left).toEqual(created.kept)
    expect((await test.db.read((tx) => tx.find(calibrationResults, created.report)))?.request).toBe(
      created.old,
    )
  })
})

describe('pruneCalibrationResults()', () => {
  test('removes reports by their end, one at a time, and the references of their requests', async () => {
    await using test = await openTestDatabase()
    const driver = await addTuner(test.db)
    const created = await test.db.write('reports', (tx) => {
      const old = tx.insert(calibrationResults, { driver, finished_at: EARLIER }).id
      tx.insert(calibrationResults, { driver, finished_at: EARLIER })
      const kept = tx.insert(calibrationResults, { driver, finished_at: LATER }).id
      const unfinished = tx.insert(calibrationResults, { driver }).id
      const request = (result: string) =>
        tx.insert(calibrationRequests, { driver, mode: 'full', status: 'done', result }).id
      return { ids: [kept, unfinished], requests: [request(old), request(kept)], kept }
    })
    const counts = [1, 2, 3].map(() => step(test.db, pruneCalibrationResults))
    expect(await Promise.all(counts)).toEqual([1, 1, 0])
    await test.db.read((tx) => {
      expect(tx.list(calibrationResults).map(({ id }) => id)).toEqual(created.ids)
      expect(created.requests.map((id) => tx.find(calibrationRequests, id)?.result)).toEqual([
        '',
        created.kept,
      ])
    })
  })
})

test('pruneIdempotencyKeys() removes old responses', async () => {
  await using test = await openTestDatabase()
  await test.db.write('keys', (tx) => {
    for (const at of [EARLIER, LATER]) {
      tx.run(
        `INSERT INTO idempotency_keys ("user", key, route, body_hash, status, response, at)
         VALUES ('u', $at, '', '', 200, '{}', $at)`,
        { at },
      )
    }
  })
  expect(await step(test.db, pruneIdempotencyKeys)).toBe(1)
  expect(await test.db.read((tx) => tx.all('SELECT at FROM idempotency_keys'))).toEqual([{ at: LATER }])
})

test.skipIf(onlySqlite('its plans'))('no step scans a table', async () => {
  await using test = await openTestDatabase()
  const steps = {
    pruneEvents,
    pruneCalibrationRequests,
    pruneCalibrationResults,
    pruneIdempotencyKeys,
  }
  await test.db.write('report', (tx) => tx.insert(calibrationResults, { finished_at: EARLIER }))
  const statements: { name: string; sql: string; params: Params }[] = [
    { name: 'stripCalibrationResult', ...oldReport(BEFORE) },
  ]
  await test.db.write('note the statements', (tx) => {
    for (const [name, prune] of Object.entries(steps)) {
      const note =
        <T>(run: (sql: string, params?: Params) => T) =>
        (sql: string, params: Params = {}) => {
          statements.push({ name, sql, params })
          return run(sql, params)
        }
      const recording = {
        run: note(tx.run),
        all: note(tx.all) as SqlWriter['all'],
        one: note(tx.one) as SqlWriter['one'],
      }
      prune({ ...tx, ...recording }, BEFORE, 500)
    }
  })
  using file = new Sqlite(join(test.dir, 'svc.db'), { strict: true })
  const scans = statements.flatMap(({ name, sql, params }) =>
    file
      .prepare<{ detail: string }, [Params]>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(params)
      .map(({ detail }) => `${name}: ${detail}`)
      // The parts of a JSON list are read one after another.
      .filter((detail) => /: SCAN/.test(detail) && !detail.includes('VIRTUAL TABLE')),
  )
  expect(statements.length).toBeGreaterThan(6)
  expect(scans).toEqual([])
})
