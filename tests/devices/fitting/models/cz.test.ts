import { expect, test } from 'bun:test'
import { fitChevron } from '../../../../src/devices/fitting/models/cz.ts'
import { finished } from '../../../support/fitting/finished.ts'

const FREQUENCIES = Float64Array.from({ length: 25 }, (_, at) => 400e6 + (at - 12) * 0.4e6)
const DURATIONS = Float64Array.from({ length: 26 }, (_, at) => 24e-9 + 16e-9 * at)
const [CENTER, EXCHANGE] = [400.7e6, 4e6]

/** Populations of an exchange that takes away so much of them. */
function populations(contrast: number): number[] {
  return Array.from(DURATIONS).flatMap((duration, row) =>
    Array.from(FREQUENCIES, (frequency, column) => {
      const rate = Math.hypot(2 * EXCHANGE, frequency - CENTER)
      const left = ((2 * EXCHANGE) / rate) ** 2 * Math.sin(Math.PI * rate * duration) ** 2
      return 0.97 - contrast * left + 0.02 * Math.sin(7 * row + 3 * column ** 2)
    }),
  )
}

test('fitChevron() finds the resonance and the rate', () => {
  const fit = finished(fitChevron(FREQUENCIES, DURATIONS, populations(0.9)))
  expect(fit.ok && Math.abs(fit.values.center.value - CENTER)).toBeLessThan(50e3)
  expect(fit.ok && Math.abs(fit.values.exchange.value / EXCHANGE - 1)).toBeLessThan(0.01)
})

test('fitChevron() rejects a contrast that no population has', () => {
  for (const contrast of [0.2, 2, 90]) {
    const fit = finished(fitChevron(FREQUENCIES, DURATIONS, populations(contrast)))
    expect(fit).toMatchObject({ ok: false, code: 'no_signal' })
    expect(fit.ok ? '' : fit.message).toContain('needed are 0.4 to 1.5')
  }
})
