import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fitCosine, fitFringe, phaseDifference } from '../../../../src/devices/fitting/models/cosine.ts'
import { finished } from '../../../support/fitting/finished.ts'
import { spaced } from '../../../support/fitting/trials.ts'

const angle = fc.double({ min: -3, max: 3, noNaN: true })

test('fitFringe() and phaseDifference() give the phase that a gate adds', () => {
  const phases = spaced(0, 5.9, 24)
  const fringe = (phase: number) =>
    finished(
      fitFringe(
        phases,
        phases.map((x) => 0.5 + 0.45 * Math.cos(x - phase)),
      ),
    )
  fc.assert(
    fc.property(angle, angle, (before, added) => {
      const [off, on] = [fringe(before), fringe(before + added)]
      expect(off.ok && on.ok).toBe(true)
      if (!off.ok || !on.ok) return
      expect(phaseDifference(off.values.phase, on.values.phase).value).toBeCloseTo(added, 9)
    }),
    { numRuns: 40 },
  )
})

test('fitFringe() rejects a weak fringe', () => {
  const phases = spaced(0, 5.9, 24)
  const weak = phases.map((x) => 0.5 + 0.15 * Math.cos(x - 1))
  expect(finished(fitFringe(phases, weak))).toMatchObject({
    ok: false,
    code: 'no_signal',
    fit: { model: 'fringe' },
  })
})

test('fitCosine() fits a projected signal of either sign', () => {
  const x = spaced(0, 0.5, 61)
  for (const sign of [1, -1]) {
    const fit = finished(
      fitCosine(
        x,
        x.map((a) => 4e-4 * sign * Math.cos((Math.PI * a) / 0.23) + 1e-5 * Math.sin(a * 1e4)),
      ),
    )
    expect(fit.ok && fit.values.half_period.value).toBeCloseTo(0.23, 3)
    expect(fit.ok && Math.sign(fit.values.contrast.value)).toBe(sign)
  }
})

test('fitCosine() rejects a π pulse outside the sweep as at its edge', () => {
  const x = spaced(0, 0.5, 61)
  const fit = finished(
    fitCosine(
      x,
      x.map((a) => 0.5 - 0.45 * Math.cos((Math.PI * a) / 0.7) + 1e-3 * Math.sin(a * 1e4)),
    ),
  )
  expect(fit).toMatchObject({ ok: false, code: 'edge_of_sweep' })
})
