import { expect, test } from 'bun:test'
import { fitFringeDecay } from '../../../../src/devices/fitting/models/fringe-decay.ts'
import { createRng } from '../../../../src/simulator/index.ts'
import { finished } from '../../../support/fitting/finished.ts'
import { spaced } from '../../../support/fitting/trials.ts'

const T2 = 20e-6
const times = spaced(4e-9, 60e-6, 61)

function fringes(share: number, seed: number, noise = 0.015) {
  const rng = createRng(seed)
  return times.map((t) => {
    const envelope = Math.exp((-share * t) / T2 - (1 - share) * (t / T2) ** 2)
    return 0.5 - 0.48 * envelope * Math.cos(2 * Math.PI * 83e3 * t) + noise * rng.normal()
  })
}

test.each([
  [1, 'exponential_fringes'],
  [0, 'gaussian_fringes'],
  [0.5, 'mixed_fringes'],
] as const)('fitFringeDecay() finds the 1/e time of a decay that is exponential by %f', (share, model) => {
  const trials = Array.from({ length: 12 }, (_, seed) =>
    finished(fitFringeDecay(times, fringes(share, seed))),
  )
  const found = trials.flatMap((fit) => (fit.ok ? [fit] : []))
  expect(found).toHaveLength(trials.length)
  const ratios = found.map(({ values }) => values.decay.value / T2)
  const mean = ratios.reduce((sum, ratio) => sum + ratio / ratios.length, 0)
  expect(Math.abs(mean - 1)).toBeLessThan(0.03)
  const pulls = found.map(({ values: { decay } }) => (decay.value - T2) / decay.error)
  expect(Math.max(...pulls.map(Math.abs))).toBeLessThan(4)
  const chosen = found.filter(({ fit }) => fit.kind === 'line' && fit.model === model)
  expect(chosen.length).toBeGreaterThan(trials.length / 2)
})

test('fitFringeDecay() rejects a decay that the sweep does not show, and noise', () => {
  const long = times.map(
    (t) => 0.5 + 0.4 * Math.exp(-t / 400e-6) * Math.cos(6e5 * t) + 1e-3 * Math.sin(t * 1e9),
  )
  expect(finished(fitFringeDecay(times, long))).toMatchObject({ ok: false, code: 'edge_of_sweep' })
  const rng = createRng(3)
  const noise = times.map(() => rng.normal())
  expect(finished(fitFringeDecay(times, noise))).toMatchObject({ ok: false, code: 'no_signal' })
})
