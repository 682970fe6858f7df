import { expect, test } from 'bun:test'
import type { Threshold } from '../../../../../ui/api/model/equipment/monitoring.ts'
import { findBreaches } from '../../../../../ui/pages/monitoring/readings/breaches.ts'
import { describeLimit, describeState } from '../../../../../ui/pages/monitoring/readings/lead.ts'
import { toChannels } from '../../../../../ui/parts/monitor/channels.ts'

const NOW = Date.parse('2026-11-20T14:00:00Z')
const STEP_MS = 60_000

const channelsOf = (mean: number[], ageMs = 0) =>
  toChannels({
    step_ms: STEP_MS,
    series: ['m.tmixing', 'm.tstill'].map((channel, index) => ({
      channel,
      unit: 'K',
      last: new Date(NOW - (index === 0 ? ageMs : 0)).toISOString(),
      value: (mean.at(-1) ?? 0) + index,
      at: mean.map((_, bucket) => NOW - (mean.length - bucket) * STEP_MS),
      ...{ min: mean, mean: mean.map((value) => value + index), max: mean },
      count: mean.map(() => 10),
    })),
  })
const threshold = (more: Partial<Threshold> = {}): Threshold => ({
  ...{ id: 't', name: 'Mixing chamber', driver: 'd', channel: 'm.tmixing', unit: 'K', kind: 'above' },
  ...{ limit: 0.02, for_seconds: 0, enabled: true, since: '', breached_at: '' },
  ...more,
})
const describe = (mean: number[], thresholds: Threshold[], ageMs = 0) => {
  const channels = channelsOf(mean, ageMs)
  const breaches = findBreaches(channels, thresholds, STEP_MS)
  return describeState(channels, thresholds, breaches, NOW).replaceAll('\u00a0', ' ')
}

test('describeState() begins with a breach that lasts', () => {
  const since = '2026-11-20 12:52:00.000Z'
  expect(describe([0.03], [threshold({ since, breached_at: since })])).toBe(
    'Mixing chamber has been beyond its limit for 1 h 08 min.',
  )
})

test('describeState() names late channels before breaches that have ended', () => {
  expect(describe([0.03, 0.01], [threshold()], 600_000)).toBe('tmixing is late; the others report as usual.')
  expect(describe([0.03, 0.01], [threshold()])).toBe(
    'tmixing 10.00 mK; Mixing chamber was beyond its limit for 1 min.',
  )
})

test('describeState() is the coldest value when all is well', () => {
  expect(describe([0.01, 0.01], [threshold()])).toBe(
    'Two channels report, all within their limits; tmixing 10.00 mK.',
  )
  expect(describe([0.01, 0.01], [])).toBe('Two channels report; tmixing 10.00 mK.')
})

test('describeLimit() writes a limit in words', () => {
  expect(describeLimit(threshold()).replaceAll('\u00a0', ' ')).toBe('above 20.00 mK')
  expect(describeLimit(threshold({ kind: 'stale', limit: 300 }))).toBe('no reading for 5 min')
})
