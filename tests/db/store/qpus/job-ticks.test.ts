import { describe, expect, test } from 'bun:test'
import { newId, toTimestamp } from '../../../../src/base/index.ts'
import { readFailures, readJobTicks } from '../../../../src/db/store/qpus/index.ts'
import { openTestDatabase, type TestDatabase } from '../../../support/database.ts'

const NOON = Date.UTC(2026, 5, 10, 12)
/** A time so many seconds after noon. */
const at = (seconds: number) => toTimestamp(NOON + seconds * 1_000)

type Job = readonly [start: number, end: number | null]

async function openWith(jobs: readonly Job[]): Promise<TestDatabase> {
  const test = await openTestDatabase()
  await test.clock.advance(NOON + 3_600_000 - test.clock.now())
  await test.db.write('jobs', (tx) => {
    for (const [start, end] of jobs) {
      const values = { id: newId(tx.now), start: at(start), end: end === null ? '' : at(end) }
      // Half of those that have ended are in the rows of their jobs.
      const sql =
        end === null || tx.one('SELECT 1 FROM job_attempts WHERE ended_at < $end', { end: at(end) })
          ? `INSERT INTO quantum_jobs (id, attempt, driver, qpu, status, claimed_at, finished_at, created, updated)
             VALUES ($id, 1, 'd', 'north', CASE $end WHEN '' THEN 'running' ELSE 'completed' END, $start, $end, '', '')`
          : `INSERT INTO job_attempts (job, attempt, driver, qpu, epoch, state, claimed_at, started_at, ended_at)
             VALUES ($id, 1, 'd', 'north', 1, 'ok', $start, $start, $end)`
      tx.run(sql, values)
    }
  })
  return test
}

const read = (test: TestDatabase, from: number, to: number, most: number) =>
  test.db.read((tx) => readJobTicks(tx, 'north', { from: at(from), to: at(to), most }))
const tick = (start: number, end: number | null) => ({
  qpu: 'north',
  start: at(start),
  end: end === null ? '' : at(end),
})

test('readFailures() returns the first failure of each part, and walks an index', async () => {
  await using test = await openWith([
    [10, 20],
    [30, 40],
    [500, 510],
    [990, 1_010],
  ])
  await test.db.write('fail', (tx) =>
    tx.run(
      `INSERT INTO job_attempts (job, attempt, driver, qpu, epoch, state, claimed_at, started_at, ended_at)
       SELECT id, 2, driver, qpu, epoch, 'lost', claimed_at, '', finished_at FROM quantum_jobs WHERE finished_at > $at`,
      { at: at(30) },
    ),
  )
  const failures = (from: number, to: number, most: number) =>
    test.db.read((tx) => readFailures(tx, 'north', { from: at(from), to: at(to), most }))
  expect(await failures(0, 1_000, 100)).toEqual([at(40), at(510)])
  expect(await failures(0, 2_000, 2)).toEqual([at(40), at(1_010)])
  expect(await failures(40, 510, 100)).toEqual([])
})

describe('readJobTicks()', () => {
  test('returns the times of jobs, those that are close together as one', async () => {
    await using test = await openWith([
      [10, 20],
      [21, 30],
      [500, 510],
      [990, 1_010],
    ])
    expect(await read(test, 0, 1_000, 100)).toEqual([tick(10, 30), tick(500, 510), tick(990, 1_010)])
    expect(await read(test, 0, 1_000, 1_000)).toEqual([
      tick(10, 20),
      tick(21, 30),
      tick(500, 510),
      tick(990, 1_010),
    ])
  })

  test('leaves out what lies outside of the range, and cuts at its start', async () => {
    await using test = await openWith([
      [10, 20],
      [50, 200],
      [400, 410],
    ])
    expect(await read(test, 100, 400, 100)).toEqual([tick(100, 200)])
    expect(await read(test, 20, 50, 100)).toEqual([])
  })

  test('includes the running job in ranges that have begun', async () => {
    await using test = await openWith([
      [10, 20],
      [3_000, null],
    ])
    expect(await read(test, 0, 3_600, 10)).toEqual([tick(10, 20), tick(3_000, null)])
    expect(await read(test, 3_500, 9_000, 10)).toEqual([tick(3_500, null)])
    expect(await read(test, 3_601, 9_000, 10)).toEqual([])
    expect(await read(test, 0, 3_000, 10)).toEqual([tick(10, 20)])
  })

  test('returns at most the requested number however many jobs ran, and covers each of them', async () => {
    const jobs = Array.from({ length: 2_000 }, (_, i): Job => [i * 1.7, i * 1.7 + 1])
    await using test = await openWith(jobs)
    for (const most of [1, 7, 100, 500]) {
      const ticks = await read(test, 0, 3_400, most)
      expect(ticks.length).toBeLessThanOrEqual(most + 1)
      for (const [start, end] of jobs) {
        const isCovered = ticks.some((each) => each.start <= at(start) && at(end ?? 0) <= each.end)
        expect([start, isCovered]).toEqual([start, true])
      }
    }
  })
})
