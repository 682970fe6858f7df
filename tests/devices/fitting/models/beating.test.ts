import { describe, expect, test } from 'bun:test'
import { apartText, beatOf } from '../../../../src/devices/fitting/models/beating.ts'
import { createRng } from '../../../../src/devices/index.ts'
import { finished } from '../../../support/fitting/finished.ts'

const POINTS = 81
const NOISE = 0.015
const SPAN_S = 40e-6
const DECAY_S = 20e-6
const FREQUENCY = 200e3

/** Fringes of a qubit that is at two frequencies in turn, by that of their middle. */
function fringesOf(distance: number, seed: number, power: 1 | 2, middles: readonly number[] = [FREQUENCY]) {
  const rng = createRng(seed)
  const times = Array.from({ length: POINTS }, (_, at) => (SPAN_S * at) / (POINTS - 1))
  return middles.map((frequency) => {
    const signal = times.map((t) => {
      const envelope = Math.exp(-((t / DECAY_S) ** power)) * Math.cos(Math.PI * distance * t)
      return 0.5 + 0.5 * envelope * Math.cos(2 * Math.PI * frequency * t) + NOISE * rng.normal()
    })
    return { times, signal, frequency, decay: DECAY_S }
  })
}

const SEEDS = Array.from({ length: 8 }, (_, seed) => seed)

describe('beatOf()', () => {
  test.each([1, 2] as const)('finds one frequency in fringes that decay with the power %i', (power) => {
    for (const seed of SEEDS) expect(finished(beatOf(fringesOf(0, seed, power)))).toBeUndefined()
  })

  test.each([40e3, 90e3, 200e3])(
    'finds two that are %f Hz apart, or twice the distance of the drive',
    (distance) => {
      for (const seed of SEEDS) {
        const [same = Number.NaN, between = Number.NaN] = finished(beatOf(fringesOf(distance, seed, 2))) ?? []
        expect(Math.abs(same / distance - 1)).toBeLessThan(0.1)
        expect(Math.abs(between / (2 * FREQUENCY) - 1)).toBeLessThan(0.1)
      }
    },
  )

  // A drive between both frequencies: their own distance is the larger one of the two that one fringe allows.
  test('tells both distances apart by fringes of several drives', () => {
    for (const seed of SEEDS) {
      const found = finished(beatOf(fringesOf(200e3, seed, 2, [60e3, 60e3, 80e3]))) ?? []
      expect(found).toHaveLength(1)
      expect(Math.abs((found[0] ?? Number.NaN) / 200e3 - 1)).toBeLessThan(0.1)
    }
    expect(apartText([2180, 62_180])).toBe('2 kHz apart, or 62 kHz if the drive is between them')
    expect(apartText([62_180])).toBe('62 kHz apart')
  })
})
