import { expect, test } from 'bun:test'
import { MAX_TICKS, rulerTicks } from '../../../../ui/plots/chip/ruler-ticks.ts'

test('few values have a tick each', () => {
  expect(rulerTicks([0, 0.5, 1], 102)).toBe('M1.0 4v10M51.0 4v10M101.0 4v10')
  expect(rulerTicks([], 102)).toBe('')
})

test('many values are bars as high as their share, the highest one in full', () => {
  const places = Array.from({ length: 4 * MAX_TICKS }, (_, at) => (at % 4 === 0 ? 1 : 0))
  const bars = rulerTicks(places, 102).split('M').slice(1)
  expect(bars.map((bar) => bar.split('v')[1])).toEqual(['-12', '-4'])
})
