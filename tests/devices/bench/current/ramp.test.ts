import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ramp } from '../../../../src/devices/bench/current/ramp.ts'
import { eagerClock } from '../support/eager-clock.ts'
import { outputAt } from '../support/recorded-output.ts'

test('a ramp ends at the nearest value, in steps of 1 µA, within the rate', async () => {
  const amps = fc.double({ min: -2e-4, max: 2e-4, noNaN: true })
  const resolution = fc.constantFrom(50e-3 / 2 ** 17, 50e-3 / 2 ** 18, 1e-7, 7.6e-8, 0.66e-6)
  const rate = fc.constantFrom(40e-6, 1e-3, 3e-6)
  const property = fc.asyncProperty(amps, amps, resolution, rate, async (from, to, unit, speed) => {
    const clock = eagerClock()
    const { output, steps, held } = outputAt(from, unit, clock)
    expect(await ramp(output, to, { rate: speed, clock })).toBe(held())
    expect(Math.abs(held() - to)).toBeLessThanOrEqual(unit * 0.5001)
    let last = 0
    for (const { at, from: before, to: after } of steps) {
      const change = Math.abs(after - before)
      expect(change).toBeLessThanOrEqual(1e-6)
      expect(change).toBeLessThanOrEqual(speed * ((at - last) / 1_000) * (1 + 1e-9))
      last = at
    }
  })
  await fc.assert(property, { numRuns: 200, seed: 14 })
})

test('an output that does not follow stops the ramp at its first step', async () => {
  const clock = eagerClock()
  const { output, steps } = outputAt(0, 1e-7, clock, 1)
  expect(ramp(output, 1e-5, { rate: 40e-6, clock })).rejects.toThrow(
    'the output does not follow: 0.0008 mA instead of 0.0009 mA',
  )
  expect(steps).toHaveLength(1)
})

test('an abort stops the ramp where it is', async () => {
  const clock = eagerClock()
  const { output, steps, held } = outputAt(0, 1e-7, clock)
  const stop = new AbortController()
  const write = output.write
  output.write = async (amps) => {
    if (steps.length === 4) stop.abort(new Error('calibration stopped'))
    return write(amps)
  }
  const moved = ramp(output, 1e-5, { rate: 40e-6, clock, signal: stop.signal })
  expect(moved).rejects.toThrow('calibration stopped')
  expect(steps).toHaveLength(5)
  expect(held()).toBeCloseTo(4.5e-6, 12)
})

test('an output with steps above 1 µA is refused', () => {
  const clock = eagerClock()
  const { output, steps } = outputAt(0, 1.5e-6, clock)
  expect(ramp(output, 1e-5, { rate: 40e-6, clock })).rejects.toThrow('one step of the output is 1.50 µA')
  expect(steps).toEqual([])
})
