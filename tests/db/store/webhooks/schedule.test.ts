import { expect, test } from 'bun:test'
import { afterFailure } from '../../../../src/db/store/webhooks/schedule.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const WEEK = 168 * HOUR
const FAILURE = { status: 500, attempts: 1, ageMs: 0, failures: 1, failingMs: 0 }

test('a delivery is retried after 5 s, doubled up to 6 h', () => {
  const pauses = Array.from({ length: 15 }, (_, n) => {
    const next = afterFailure({ ...FAILURE, attempts: n + 1 })
    return next.kind === 'retry' ? next.retryMs / SECOND : next.kind
  })
  expect(pauses).toEqual([
    5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 21_600, 21_600,
  ])
})

test('a receiver is left alone for 5 s, doubled up to 10 min', () => {
  const pauses = Array.from({ length: 9 }, (_, n) => {
    const next = afterFailure({ ...FAILURE, failures: n + 1 })
    return next.kind === 'retry' ? next.pauseMs / SECOND : next.kind
  })
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600])
})

test('a delivery is given up after a week', () => {
  expect(afterFailure({ ...FAILURE, ageMs: WEEK - 1 }).kind).toBe('retry')
  expect(afterFailure({ ...FAILURE, ageMs: WEEK }).kind).toBe('give_up')
})

test('a receiver is disabled after a week with at least 10 failures, and at once by 410', () => {
  expect(afterFailure({ ...FAILURE, failingMs: WEEK - 1, failures: 50 }).kind).toBe('retry')
  expect(afterFailure({ ...FAILURE, failingMs: WEEK, failures: 9 }).kind).toBe('retry')
  expect(afterFailure({ ...FAILURE, failingMs: WEEK, failures: 10 }).kind).toBe('disable')
  expect(afterFailure({ ...FAILURE, status: 410 }).kind).toBe('disable')
  expect(afterFailure({ ...FAILURE, status: 404 }).kind).toBe('retry')
})
