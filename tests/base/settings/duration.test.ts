import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatDuration, parseDuration } from '../../../src/base/index.ts'

describe('parseDuration()', () => {
  test.each([
    ['720h', 2_592_000_000],
    ['30m', 1_800_000],
    ['90s', 90_000],
    ['250ms', 250],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['2d', 172_800_000],
    [' 5s ', 5_000],
    ['0', 0],
    ['0s', 0],
  ])('reads %p as %p ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  test.each(['', '5', '-5s', '5 s', '5S', 's', '1e3s', '5s!', 'five', '1h-30m'])('refuses %p', (text) => {
    expect(() => parseDuration(text)).toThrow('expected a duration such as 720h, 30m or 90s')
  })

  test('refuses durations that no clock can represent', () => {
    expect(() => parseDuration('99999999999999h')).toThrow('expected at most 1000000h')
  })
})

test('formatDuration() writes what parseDuration() reads back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms)
    }),
  )
  expect([0, 5_000, 90_000, 1_800_000, 86_400_000, 1_500].map(formatDuration)).toEqual([
    '0',
    '5s',
    '90s',
    '30m',
    '24h',
    '1500ms',
  ])
})
