import { expect, test } from 'bun:test'
import { inOrder, nameOf } from '../../../../ui/parts/monitor/stages.ts'

const series = (channel: string, unit: string, value: number) => ({ channel, unit, value })
const CHANNELS = [
  series('flow', 'mmol/s', 0.3),
  series('t4k', 'K', 3.8),
  series('p1', 'mbar', 1e-6),
  series('tmixing', 'K', 0.01),
]
const order = (stages: { channel: string; name: string }[]) =>
  inOrder(CHANNELS, stages).map(({ channel }) => channel)

test('inOrder() begins with the mixing chamber and keeps the order of what is no temperature', () => {
  expect(order([])).toEqual(['tmixing', 't4k', 'flow', 'p1'])
})

test('inOrder() begins with the named stages in the order of the lab, however warm they are', () => {
  const stages = [
    { channel: 'p1', name: 'Vacuum can' },
    { channel: 't4k', name: '4 K plate' },
  ]
  expect(order(stages)).toEqual(['p1', 't4k', 'tmixing', 'flow'])
  expect([nameOf('p1', stages), nameOf('flow', stages)]).toEqual(['Vacuum can', undefined])
})
