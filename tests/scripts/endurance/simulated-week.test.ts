import { expect, test } from 'bun:test'
import { simulateWeek } from '../../support/week/week.ts'
import { part } from '../../support/whole.ts'

/** The week itself is `scripts/endurance/simulated-week.ts`. */
const SEED = Number(process.env['WEEK_SEED'] ?? 1)
const JOBS = Number(process.env['WEEK_JOBS'] ?? part(600, 150))
const HOUR_MS = 3_600_000

test(`simulateWeek() keeps every promise through a day of failures, bookings and maintenance, seed ${SEED}`, async () => {
  const { figures, longestWaitMs, states, fates, cancelled, checks, refusedSubmissions } = await simulateWeek(
    {
      ...{ seed: SEED, days: 1, jobs: JOBS },
    },
  )
  const { completed = 0, failed = 0, ...others } = states
  expect(others).toEqual(cancelled > 0 ? { cancelled } : {})
  // Sessions of bookers whose submissions were refused end early.
  expect(completed + failed + cancelled + refusedSubmissions).toBeGreaterThan(0.9 * JOBS)
  for (const fate of ['crash', 'hang', 'late', 'deviceError', 'userError', 'repeated']) {
    expect(fates[fate]).toBeGreaterThan(0)
  }
  expect(checks).toBeGreaterThan(JOBS)
  expect(figures.waits.booker.p50).toBeLessThan(1_000)
  expect([figures.waits.booker.never, figures.waits.others.never]).toEqual([0, 0])
  // Maintenance takes half an hour, balances are filled up each hour: no job waits longer than both and a
  // queue.
  expect(longestWaitMs).toBeLessThan(4 * HOUR_MS)
}, 120_000)
