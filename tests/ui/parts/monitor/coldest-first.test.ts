import { expect, test } from 'bun:test'
import type { ReadingSeries } from '../../../../ui/api/model/equipment/monitoring.ts'
import { coldestFirst } from '../../../../ui/parts/monitor/coldest-first.ts'

test('coldestFirst() begins with the mixing chamber and keeps the order of what is no temperature', () => {
  const series = (channel: string, unit: string, mean: number[]): ReadingSeries => ({
    ...{ channel, unit, mean, last: '', at: [0], min: [], max: [], count: [] },
  })
  const channels = [
    series('flow', 'mmol/s', [0.3]),
    series('t4k', 'K', [3.8]),
    series('p1', 'mbar', [1e-6]),
    series('tmixing', 'K', [4, 0.01]),
  ]
  expect(coldestFirst(channels).map(({ channel }) => channel)).toEqual(['tmixing', 't4k', 'flow', 'p1'])
})
