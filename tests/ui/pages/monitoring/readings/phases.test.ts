import { expect, test } from 'bun:test'
import { HOUR_MS } from '../../../../../src/base/portable/units.ts'
import { coolDown } from '../../../../../src/devices/monitor/cryostat_gen1/simulated-fridge/cool-down.ts'
import { beginOf, coldestOf, findPhases } from '../../../../../ui/pages/monitoring/readings/phases.ts'

/** The mixing chamber of the simulated fridge by hour: cooled from `begin` on, warmed up from `off` on. */
function mixing(hours: number, { off = Number.POSITIVE_INFINITY, begin = 10 } = {}) {
  const read = coolDown({ compressorOff: (off - begin) * 3_600 }).get('mapper.bf.tmixing')
  const at = Array.from({ length: hours }, (_, hour) => hour * HOUR_MS)
  return { at, mean: at.map((ms) => read?.(Math.max(0, ms / 1_000 - begin * 3_600)) ?? 0) }
}

test('findPhases() finds where a cool-down begins and ends, and the warm-up after it', () => {
  const [down, up, ...others] = findPhases(mixing(220, { off: 100 }))
  expect(others).toEqual([])
  expect(down?.kind).toBe('cool-down')
  expect((down?.from ?? 0) / HOUR_MS).toBeWithin(10, 12)
  expect((down?.to ?? 0) / HOUR_MS).toBeWithin(45, 60)
  expect(up?.kind).toBe('warm-up')
  expect((up?.from ?? 0) / HOUR_MS).toBeWithin(99, 102)
  expect((up?.to ?? 0) / HOUR_MS).toBeWithin(115, 140)
})

test('findPhases() finds nothing in a fridge that stays cold, stays warm, or has a sensor that fails', () => {
  const { at } = mixing(20)
  expect(findPhases({ at, mean: at.map((_, index) => (index === 8 ? 0.04 : 0.01)) })).toEqual([])
  expect(findPhases({ at, mean: at.map((_, index) => (index === 8 ? 0 : 290)) })).toEqual([])
  expect(findPhases({ at: [], mean: [] })).toEqual([])
})

test('beginOf() is the begin of a phase that goes on, of its kind only', () => {
  const running = mixing(20)
  expect((beginOf(running, 'cool-down') ?? 0) / HOUR_MS).toBeWithin(10, 12)
  expect(beginOf(running, 'warm-up')).toBeUndefined()
  const warming = mixing(110, { off: 100, begin: -60 })
  expect((beginOf(warming, 'warm-up') ?? 0) / HOUR_MS).toBeWithin(99, 102)
  expect(beginOf(mixing(40, { begin: -60 }), 'cool-down')).toBeUndefined()
})

test('coldestOf() is the coldest temperature, whatever a failed sensor reports', () => {
  const series = (channel: string, unit: string, mean: number[]) => ({
    ...{ channel, unit, mean, last: '', at: mean, min: mean, max: mean, count: mean },
  })
  const all = [series('p1', 'mbar', [1e-6]), series('t4k', 'K', [4]), series('tmc', 'K', [0, 0.01])]
  expect(coldestOf({ step_ms: 1, series: all })?.channel).toBe('tmc')
  expect(coldestOf({ step_ms: 1, series: [] })).toBeUndefined()
})
