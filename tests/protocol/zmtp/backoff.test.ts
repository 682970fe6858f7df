import { describe, expect, test } from 'bun:test'
import { DEFAULT_BACKOFF, pauseMs } from '../../../src/protocol/zmtp/backoff.ts'

describe('pauseMs()', () => {
  test('doubles from 250 ms to 10 s, of which the upper half is random', () => {
    const failures = [1, 2, 3, 4, 5, 6, 7, 8, 2_000]
    expect(failures.map((each) => pauseMs(each, DEFAULT_BACKOFF, 0))).toEqual([
      125, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000,
    ])
    expect(pauseMs(1, DEFAULT_BACKOFF, 0.5)).toBe(187.5)
    expect(pauseMs(2_000, DEFAULT_BACKOFF, 1)).toBe(10_000)
  })
})
