import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  bestScorePoint,
  chooseDuration,
  fitScorePeak,
  leastGoodAmplitude,
  plateauPoint,
  unimodal,
} from '../../../../src/devices/fitting/models/readout-optimum.ts'
import { finished } from '../../../support/fitting/finished.ts'
import { grid, spaced } from '../../../support/fitting/trials.ts'

test('unimodal() rises, falls, and keeps the mean', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 25 }),
      (values) => {
        const smooth = unimodal(values)
        const top = smooth.indexOf(Math.max(...smooth))
        for (const [at, value] of smooth.entries()) {
          const before = smooth[at - 1] ?? value
          expect(at <= top ? value >= before - 1e-12 : value <= before + 1e-12).toBe(true)
        }
        const sum = (all: readonly number[]) => all.reduce((total, value) => total + value, 0)
        expect(sum(smooth)).toBeCloseTo(sum(values), 9)
      },
    ),
  )
  expect(unimodal([1, 2, 5, 4, 1])).toEqual([1, 2, 5, 4, 1])
})

test('chooseDuration() takes the shortest of equally good durations', () => {
  const fidelities = [0.7, 0.85, 0.949, 0.95, 0.95, 0.9].map((value) => ({ value, error: 0.004 }))
  const choice = chooseDuration([1e-7, 2e-7, 4e-7, 8e-7, 1.6e-6, 3.2e-6], fidelities)
  expect(choice.ok && choice.values.duration.value).toBe(4e-7)
})

test('fitScorePeak() rejects a best point at the border', () => {
  const [x, y] = [spaced(-1, 1, 11), spaced(0.2, 1.4, 9)]
  const scores = grid(y, x).map(([b, a]) => 10 * b - a * a + 0.01 * Math.sin(40 * a + 99 * b))
  expect(finished(fitScorePeak(x, y, scores))).toMatchObject({
    ok: false,
    code: 'edge_of_sweep',
    fit: { kind: 'map' },
  })
})

test('plateauPoint() takes the least power among points that are as good as the best', () => {
  const [x, y] = [spaced(-1, 1, 11), spaced(0.2, 2, 10)]
  const rising = (level: number) =>
    grid(y, x).map(([b, a]) => Math.min(10 * b * b, level) - 3 * a * a + 0.1 * Math.sin(40 * a + 99 * b))
  const point = plateauPoint(x, y, rising(10))
  expect(point?.frequency.value).toBeCloseTo(0, 12)
  expect([1, 1.2].some((amplitude) => Math.abs((point?.amplitude.value ?? 0) - amplitude) < 1e-9)).toBe(true)
  // Without a plateau the best points are at the border, where nobody knows how much better it gets.
  expect(plateauPoint(x, y, rising(100))).toBeUndefined()
})

test('bestScorePoint() looks for a frequency inside the map, and for any power', () => {
  // Measured on a chip: the true score of the first column is 15 % below that of the third.
  const scores = [
    [7.5, 10.7, 11.3, 13.9, 11.7, 12.1, 10.6, 8.1, 4.6],
    [10.5, 11.3, 14.9, 12, 14.1, 13.3, 11.5, 6.8, 3.5],
    [12.8, 13.1, 13, 13.9, 13.3, 12.1, 10.4, 7.8, 3.4],
    [11.6, 14.8, 13.2, 12.2, 16.7, 12.7, 10.4, 5.7, 2.9],
    [13.4, 18.5, 12.9, 14.1, 12.8, 10.4, 10.5, 5.5, 2.8],
  ]
  const { frequency, amplitude } = bestScorePoint(spaced(0, 8, 9), spaced(1, 5, 5), scores.flat())
  expect([frequency.value, amplitude.value]).toEqual([2, 5])
})

test('leastGoodAmplitude() takes the least power that is as good as any, whatever single scores say', () => {
  const amplitudes = [0.1, 0.12, 0.14, 0.16, 0.18]
  // Rising: the last is the best. A plateau: its start. A single score that is too good decides nothing.
  expect(leastGoodAmplitude(amplitudes, [5, 6, 7, 8, 9]).value).toBe(0.18)
  expect(leastGoodAmplitude(amplitudes, [8, 9.95, 10, 9.98, 9.99]).value).toBe(0.12)
  expect(leastGoodAmplitude(amplitudes, [12, 9, 11, 12, 12]).value).toBe(0.16)
})
