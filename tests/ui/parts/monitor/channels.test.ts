import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  commonPrefix,
  gapLimit,
  groupByUnit,
  isLogarithmic,
  isStale,
  toChannels,
  usualInterval,
} from '../../../../ui/parts/monitor/channels.ts'

const series = (channel: string, unit: string, mean: number[], more: object = {}) => ({
  channel,
  unit,
  last: '2026-11-20 14:22:00.000Z',
  at: mean.map((_, index) => index * 60_000),
  min: mean.map((value) => value * 0.9),
  mean,
  max: mean.map((value) => value * 1.1),
  count: mean.map(() => 3),
  ...more,
})

test('usualInterval() is the distance of buckets divided by their readings', () => {
  expect(usualInterval({ at: [0, 60_000, 120_000], count: [3, 3, 3] })).toBe(20_000)
  expect(usualInterval({ at: [0, 5_000, 10_000], count: [1, 1, 1] })).toBe(5_000)
  expect(usualInterval({ at: [0], count: [1] })).toBe(5_000)
})

test('gapLimit() interrupts full buckets after one is missing, sparse ones after three intervals', () => {
  expect(gapLimit({ at: [0, 60_000, 120_000], count: [3, 3, 3] }, 60_000)).toBe(90_000)
  expect(gapLimit({ at: [0, 20_000, 40_000], count: [1, 1, 1] }, 5_000)).toBe(60_000)
})

test('isStale() waits three usual intervals, and at least a minute', () => {
  const now = 1_000_000
  expect(isStale({ last: now - 61_000, intervalMs: 5_000 }, now)).toBeTrue()
  expect(isStale({ last: now - 59_000, intervalMs: 5_000 }, now)).toBeFalse()
  expect(isStale({ last: now - 80_000, intervalMs: 30_000 }, now)).toBeFalse()
  expect(isStale({ last: now - 91_000, intervalMs: 30_000 }, now)).toBeTrue()
  expect(isStale({ last: undefined, intervalMs: 30_000 }, now)).toBeFalse()
})

test('toChannels() has the figures of the range and short names', () => {
  const [mixing, still] = toChannels({
    step_ms: 60_000,
    series: [
      series('mapper.bf.tmixing', 'K', [0.01, 0.03], { value: 0.04 }),
      series('mapper.bf.tstill', 'K', []),
    ],
  })
  expect(mixing).toMatchObject({ label: 'tmixing', intervalMs: 20_000, key: 'mapper.bf.tmixing:K' })
  expect(mixing?.value).toBe(0.04)
  expect(mixing?.figures?.mean).toBeCloseTo(0.02, 12)
  expect(mixing?.figures?.max).toBeCloseTo(0.033, 12)
  expect(still?.figures).toBeUndefined()
})

test('toChannels() has the names that the lab gave channels', () => {
  const readings = { step_ms: 1, series: [series('a.t1', 'K', [1]), series('a.t2', 'K', [1])] }
  const channels = toChannels(readings, [{ channel: 'a.t2', name: 'Mixing chamber' }])
  expect(channels.map(({ label, line }) => [label, line.label])).toEqual([
    ['t1', 't1'],
    ['Mixing chamber', 'Mixing chamber'],
  ])
})

test('toChannels() distinguishes the units of one channel', () => {
  const channels = toChannels({ step_ms: 1, series: [series('a.p', 'mbar', [1]), series('a.p', 'Pa', [1])] })
  expect(channels.map(({ label }) => label)).toEqual(['p (mbar)', 'p (Pa)'])
})

test('commonPrefix() ends at a dot and leaves each channel a name', () => {
  expect(commonPrefix(['mapper.bf.t1', 'mapper.bf.t2'])).toBe('mapper.bf.')
  expect(commonPrefix(['mapper.bf.t1', 'mapper.bfx.t2'])).toBe('mapper.')
  expect(commonPrefix(['t1'])).toBe('')
  const name = fc.array(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
      const channels = names.map((parts) => parts.join('.'))
      const prefix = commonPrefix(channels)
      for (const channel of channels) {
        expect(channel.startsWith(prefix)).toBeTrue()
        expect(channel.length).toBeGreaterThan(prefix.length)
      }
    }),
  )
})

test('groupByUnit() begins with temperatures and pressures', () => {
  const groups = groupByUnit(
    toChannels({
      step_ms: 1,
      series: [
        series('pump', '', [1]),
        series('flow', 'mmol/s', [0.5]),
        series('p1', 'mbar', [2e-6]),
        series('t1', 'K', [4]),
        series('t2', 'K', [0]),
      ],
    }),
  )
  expect(groups.map(({ title }) => title)).toEqual([
    'Temperatures',
    'Pressures',
    'Flow',
    'Values without a unit',
  ])
  expect(groups.map(isLogarithmic)).toEqual([false, true, false, false])
})
