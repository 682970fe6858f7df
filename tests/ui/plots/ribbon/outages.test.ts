import { expect, test } from 'bun:test'
import { outagesOf, partOfLast } from '../../../../ui/plots/ribbon/outages.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const at = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString().replace('T', ' ')

test('outages are the times of one QPU without jobs, newest first, with their part of a span', () => {
  const closed = [
    { qpu: 'a', kind: 'offline', start: at(-36), end: at(-12), reason: 'its driver was silent' },
    { qpu: 'b', kind: 'offline', start: at(-3), end: '', reason: '' },
  ]
  const busy = [
    { qpu: 'a', kind: 'calibration', start: at(-6), end: '' },
    { qpu: 'a', kind: 'session', start: at(-1), end: at(1) },
    { qpu: 'a', kind: 'slot', start: at(-6), end: at(6) },
    { qpu: 'a', kind: 'maintenance', start: at(-6), end: at(-5) },
  ]
  const found = outagesOf({ busy, closed }, 'a', NOW)
  expect(found.map(({ kind, end }) => [kind, end])).toEqual([
    ['session', undefined],
    ['calibration', undefined],
    ['offline', NOW - 12 * 3_600_000],
  ])
  expect(found.slice(1).map((outage) => partOfLast(24, outage, NOW))).toEqual([
    { left: 0.75, width: 0.25 },
    { left: 0, width: 0.5 },
  ])
  expect(partOfLast(6, found[2] as (typeof found)[number], NOW)).toBeUndefined()
})
