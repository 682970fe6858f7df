import { expect, test } from 'bun:test'
import {
  coolDown,
  type Incidents,
} from '../../../../../src/devices/monitor/cryostat_gen1/simulated-fridge/cool-down.ts'

const HOUR = 3_600
const at = (path: string, hours: number, incidents: Incidents = {}) =>
  coolDown(incidents).get(`mapper.bf.${path}`)?.(hours * HOUR) ?? Number.NaN

/** Within 5 %: the noise is 1 %. */
const about = (value: number, expected: number) => Math.abs(value / expected - 1) < 0.05

test.each([
  ['t50k', 0, 295],
  ['t4k', 0, 295],
  ['tmixing', 0, 295],
  // After one time constant a fraction 1/e of the distance remains.
  ['t50k', 6, 42 + 253 / Math.E],
  ['t4k', 8, 3.2 + 291.8 / Math.E],
  ['t50k', 100, 42],
  ['t4k', 100, 3.2],
  ['tstill', 100, 0.9],
  ['tmixing', 100, 0.01],
  ['p1', 0, 1_000],
  ['p1', 10, 1e-6],
  ['flow', 100, 0.3],
  ['cpatempwo', 100, 35],
])('coolDown() brings %s after %p h to %p', (path, hours, expected) => {
  expect(about(at(path, hours), expected)).toBe(true)
})

test('coolDown() starts the flow once the second stage is colder than 4.2 K', () => {
  expect([at('flow', 45), at('flow', 45.3)]).toEqual([0, 0])
  expect(at('t4k', 45.5)).toBeLessThan(4.4)
  expect(at('flow', 46)).toBeGreaterThan(0.1)
  expect(at('tmixing', 46)).toBeLessThan(1)
})

test('coolDown() warms the mixing chamber by the heater: T² grows by P / (84 n)', () => {
  const heater = { at: 80 * HOUR, watts: 100e-6 }
  expect(about(at('tmixing', 79, { heater }), 0.01)).toBe(true)
  expect(about(at('tmixing', 82, { heater }), Math.sqrt(1e-4 + 100e-6 / (84 * 0.3e-3)))).toBe(true)
})

test('coolDown() warms up without compressor', () => {
  const off = { compressorOff: 80 * HOUR }
  for (const path of ['t50k', 't4k', 'tstill', 'tmixing', 'flow', 'cpatempwo']) {
    expect(about(at(path, 80, off), at(path, 80))).toBe(true)
  }
  expect(at('t4k', 81, off)).toBeGreaterThan(20)
  expect(about(at('tmixing', 100, off), at('t4k', 100, off))).toBe(true)
  expect(at('flow', 84, off)).toBeLessThan(1e-3)
  expect(about(at('t4k', 180, off), 295)).toBe(true)
})

test('coolDown() is noisy by about 1 %, and is reproducible for the same seed', () => {
  const values = Array.from({ length: 2_000 }, (_, i) => at('t4k', 500 + i * 0.37) / 3.2 - 1)
  const deviation = Math.sqrt(values.reduce((sum, each) => sum + each ** 2, 0) / values.length)
  expect(deviation).toBeGreaterThan(0.008)
  expect(deviation).toBeLessThan(0.012)
  expect(at('t4k', 12.3)).toBe(at('t4k', 12.3))
  expect(coolDown({}, 9).get('mapper.bf.t4k')?.(1_000)).not.toBe(coolDown().get('mapper.bf.t4k')?.(1_000))
})
