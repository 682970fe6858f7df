import { describe, expect, test } from 'bun:test'
import { beatOf } from '../../../../src/devices/fitting/models/beating.ts'
import { createRng } from '../../../../src/devices/index.ts'
import { finished } from '../../../support/fitting/finished.ts'

const POINTS = 81
const NOISE = 0.015
const SPAN_S = 40e-6
const DECAY_S = 20e-6
const FREQUENCY = 200e3

/** Fringes of a qubit that is at either of two frequencies half of the time. */
function fringesOf(distance: number, seed: number, power: 1 | 2) {
  const rng = createRng(seed)
  const times = Array.from({ length: POINTS }, (_, at) => (SPAN_S * at) / (POINTS - 1))
  const signal = times.map((t) => {
    const envelope = Math.exp(-((t / DECAY_S) ** power)) * Math.cos(Math.PI * distance * t)
    return 0.5 + 0.5 * envelope * Math.cos(2 * Math.PI * FREQUENCY * t) + NOISE * rng.normal()
  })
  return [{ times, signal, frequency: FREQUENCY, decay: DECAY_S }]
}

const SEEDS = Array.from({ length: 8 }, (_, seed) => seed)

describe('beatOf()', () => {
  test.each([1, 2] as const)('finds one frequency in fringes that decay with the power %i', (power) => {
    for (const seed of SEEDS) expect(finished(beatOf(fringesOf(0, seed, power)))).toBeUndefined()
  })

  test.each([40e3, 90e3, 200e3])('finds two that are %f Hz apart', (distance) => {
    for (const seed of SEEDS) {
      const found = finished(beatOf(fringesOf(distance, seed, 2))) ?? Number.NaN
      expect(Math.abs(found / distance - 1)).toBeLessThan(0.1)
    }
  })
})
