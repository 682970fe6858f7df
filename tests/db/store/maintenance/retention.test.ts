import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  calibrationRequests,
  calibrationResults,
  type Database,
  drivers,
  events,
  type PruneStep,
  pruneCalibrationRequests,
  pruneCalibrationResults,
  pruneEvents,
  pruneIdempotencyKeys,
  qpus,
  stripCalibrationResult,
} from '../../../../src/db/index.ts'
import type { Params, SqlWriter } from '../../../../src/db/sqlite/sql.ts'
import { openTestDatabase } from '../../../support/database.ts'

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
    await test.db.write('events', (tx) =>
      tx.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
         INSERT INTO events (id, source, type, ts, created, updated)
         SELECT printf('%015d', i), 'd', 'Reading', printf('2026-01-%02dT00:00:00.000Z', 1 + i % 9), '', '' FROM n`,
      ),
    )
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

describe('stripCalibrationResult()', () => {
  const read = (db: Database) =>
    db.read((tx) =>
      tx.one<{ routines: string | null; benchmarks: string | null; traces_stripped: number }>(
        'SELECT routines, benchmarks, traces_stripped FROM calibration_results',
      ),
    )
  const add = (db: Database, routines: string, benchmarks: string) =>
    db.write('report', (tx) => {
      tx.run('DELETE FROM calibration_results')
      const { id } = tx.insert(calibrationResults, { finished_at: EARLIER })
      tx.run('UPDATE calibration_results SET routines = $routines, benchmarks = $benchmarks WHERE id = $id', {
        id,
        routines,
        benchmarks,
      })
    })

  test('removes the traces and leaves every number as it was written', async () => {
    await using test = await openTestDatabase()
    const kept = '"params":{"f01":4.812345678901234567e9,"t1":1e-05,"n":12345678901234567890,"fit":1.0}'
    await add(
      test.db,
      `[{"name":"rabi","target":"q0",${kept},"fit":{"x":[1,2],"y":[0.1,-0.0]}},{"name":"t1","error":"no"}]`,
      '[{"name":"rb","fidelity":0.9990,"raw_data":[[1,2],[3,4]]},null,true,"x",1.50]',
    )
    expect(await step(test.db, stripCalibrationResult)).toBe(1)
    expect(await read(test.db)).toEqual({
      routines: `[{"name":"rabi","target":"q0",${kept}},{"name":"t1","error":"no"}]`,
      benchmarks: '[{"name":"rb","fidelity":0.9990},null,true,"x",1.50]',
      traces_stripped: 1,
    })
    expect(await step(test.db, stripCalibrationResult)).toBe(0)
  })

  test('strips one report at a time, only old ones, and accepts any JSON', async () => {
    await using test = await openTestDatabase()
    await test.db.write('reports', (tx) => {
      tx.insert(calibrationResults, { finished_at: EARLIER, routines: { fit: 1 }, benchmarks: [] })
      tx.insert(calibrationResults, { finished_at: EARLIER })
      tx.insert(calibrationResults, { finished_at: LATER, routines: [{ fit: 1 }] })
    })
    expect(await step(test.db, stripCalibrationResult)).toBe(1)
    expect(await step(test.db, stripCalibrationResult)).toBe(1)
    expect(await step(test.db, stripCalibrationResult)).toBe(0)
    const stored = await test.db.read((tx) =>
      tx.list(calibrationResults).map(({ routines, traces_stripped }) => [routines, traces_stripped]),
    )
    expect(stored).toEqual([
      [{ fit: 1 }, true],
      [null, true],
      [[{ fit: 1 }], false],
    ])
  })

  test('is the same as removing the keys from the parsed report, for any report', async () => {
    await using test = await openTestDatabase()
    const part = fc.oneof(
      fc.record(
        { name: fc.string(), fit: fc.jsonValue(), raw_data: fc.jsonValue(), params: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part), fc.array(part), async (routines, benchmarks) => {
        await add(test.db, JSON.stringify(routines), JSON.stringify(benchmarks))
        await step(test.db, stripCalibrationResult)
        const stored = await read(test.db)
        expect(JSON.parse(stored?.routines ?? '')).toEqual(without(routines, 'fit'))
        expect(JSON.parse(stored?.benchmarks ?? '')).toEqual(without(benchmarks, 'raw_data'))
      }),
      { numRuns: 200 },
    )
  })

  function without(parts: unknown[], key: string): unknown {
    return JSON.parse(JSON.stringify(parts)).map((part: unknown) => {
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
      return Object.fromEntries(Object.entries(part).filter(([name]) => name !== key))
    })
  }
})

test('pruneIdempotencyKeys() removes old responses', async () => {
  await using test = await openTestDatabase()
  await test.db.write('keys', (tx) => {
    for (const at of [EARLIER, LATER]) {
      tx.run(
        `INSERT INTO idempotency_keys (user, key, route, body_hash, status, response, at)
         VALUES ('u', $at, '', '', 200, '{}', $at)`,
        { at },
      )
    }
  })
  expect(await step(test.db, pruneIdempotencyKeys)).toBe(1)
  expect(await test.db.read((tx) => tx.all('SELECT at FROM idempotency_keys'))).toEqual([{ at: LATER }])
})

test('no step scans a table', async () => {
  await using test = await openTestDatabase()
  const steps = {
    pruneEvents,
    pruneCalibrationRequests,
    stripCalibrationResult,
    pruneCalibrationResults,
    pruneIdempotencyKeys,
  }
  await test.db.write('report', (tx) => tx.insert(calibrationResults, { finished_at: EARLIER }))
  const statements: { name: string; sql: string; params: Params }[] = []
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
  expect(statements.length).toBeGreaterThan(9)
  expect(scans).toEqual([])
})
