import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { splitReadings } from '../../../../src/devices/monitor/cryostat_gen1/split-readings.ts'

const bytesOf = (part: object) => Buffer.byteLength(JSON.stringify({ readings: part }))

test('splitReadings() keeps a few hundred channels in one event', () => {
  const reading = { value: 0.010123456789, unit: 'K', status: 'SYNCHRONIZED', ts: '2026-01-31T09:05:00.000Z' }
  const all = Array.from({ length: 400 }, (_, i) => [`mapper.bf.temperatures.t${i}`, reading] as const)
  expect(splitReadings(all)).toHaveLength(1)
})

test('splitReadings() returns parts of less than 64 KiB that contain every reading once, in order', () => {
  const text = fc.string({ maxLength: 200, unit: 'binary' })
  const reading = fc.record({ value: fc.constant(null), unit: fc.constant('K'), status: text, error: text })
  const item = fc.tuple(fc.stringMatching(/^[a-z]{1,200}$/), reading)
  const items = fc.uniqueArray(item, { selector: ([path]) => path, maxLength: 400, size: 'max' })
  fc.assert(
    fc.property(items, (all) => {
      const parts = splitReadings(all)
      expect(parts.every((part) => bytesOf(part) < 61_000)).toBe(true)
      expect(parts.flatMap((part) => Object.entries(part))).toEqual(all)
    }),
    { numRuns: 20 },
  )
})

test('splitReadings() returns nothing for no readings', () => {
  expect(splitReadings([])).toEqual([])
})
