import { expect, test } from 'bun:test'
import {
  assignToCenters,
  discriminate,
  fitClouds,
  separationScore,
} from '../../../../src/devices/fitting/models/clouds.ts'
import { createRng } from '../../../../src/devices/index.ts'
import { finished } from '../../../support/fitting/finished.ts'

const rng = createRng(8)
const cloud = (x: number, y: number, sx = 1, sy = 1, count = 3_000) => {
  const points = Array.from({ length: count }, () => [x + sx * rng.normal(), y + sy * rng.normal()] as const)
  return { re: points.map(([re]) => re), im: points.map(([, im]) => im) }
}

test('discriminate() turns state 1 to the larger real part, and matches the error of normal distributions', () => {
  const fit = finished(discriminate(cloud(2, 3), cloud(2, -1)))
  if (!fit.ok) throw new Error(fit.message)
  const { rotation, threshold, fidelity, assignment } = fit.values
  // The axis points to −Q, so a quarter turn forward brings it to +I.
  expect(Math.abs(rotation.value - 90)).toBeLessThan(3)
  expect(Math.abs(threshold.value - -1)).toBeLessThan(0.1)
  // Φ(−2) = 0.02275 on each side
  expect(Math.abs(fidelity.value - (1 - 0.02275))).toBeLessThan(4 * fidelity.error)
  for (const row of assignment) expect(row.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
})

test('discriminate() uses that noise is larger in one direction', () => {
  const turn = ({ re, im }: ReturnType<typeof cloud>) => ({
    re: re.map((x, at) => (x - (im[at] ?? 0)) * Math.SQRT1_2),
    im: re.map((x, at) => (x + (im[at] ?? 0)) * Math.SQRT1_2),
  })
  const fit = finished(discriminate(turn(cloud(0, 0, 3, 0.5)), turn(cloud(3, 2, 3, 0.5))))
  expect(fit.ok && fit.values.separation.value).toBeGreaterThan(4)
})

test('discriminate() rejects clouds that overlap', () => {
  expect(finished(discriminate(cloud(0, 0), cloud(1.2, 0)))).toMatchObject({
    ok: false,
    code: 'no_signal',
    fit: { kind: 'iq' },
  })
})

test('fitClouds() gives centers, covariance and assignment of three states', () => {
  const fit = finished(fitClouds([cloud(0, 0), cloud(5, 0), cloud(0, 6)]))
  if (!fit.ok) throw new Error(fit.message)
  const { centroids, covariance, assignment, assignment_errors } = fit.values
  expect(centroids.flat().map((value) => Math.round(value * 10) / 10 + 0)).toEqual([0, 0, 5, 0, 0, 6])
  expect(covariance.ii).toBeCloseTo(1, 1)
  expect(covariance.iq).toBeCloseTo(0, 1)
  expect(assignment.every((row, state) => (row[state] ?? 0) > 0.98)).toBe(true)
  expect(assignment_errors.flat().every((error) => error >= 0 && error < 0.01)).toBe(true)
})

test('assignToCenters() gives what fitClouds() does at its centers, and less at others', () => {
  const shots = [cloud(0, 0), cloud(4, 0), cloud(0, 5)]
  const fit = finished(fitClouds(shots))
  if (!fit.ok) throw new Error(fit.message)
  const { assignment, centroids } = fit.values
  expect(assignToCenters(shots, centroids)).toEqual(assignment)
  const [moved] = assignToCenters(
    shots,
    centroids.map(([i, q]) => [i - 2, q]),
  )
  expect(moved?.[0]).toBeLessThan((assignment[0]?.[0] ?? 0) - 0.1)
})

test('fitClouds() names the state that is read wrongly', () => {
  const fit = finished(fitClouds([cloud(0, 0), cloud(5, 0), cloud(5.5, 0.5)]))
  expect(fit).toMatchObject({ ok: false, code: 'no_signal' })
  expect(!fit.ok && fit.message).toMatch(/^State [12] is read as such with 0\.[56]\d\d;/)
})

test('separationScore() is that of the closest pair, and 0 without shots', () => {
  const score = separationScore([cloud(0, 0), cloud(4, 0), cloud(0, 40)])
  expect(Math.abs(score - 8)).toBeLessThan(0.6)
  expect(separationScore([cloud(0, 0), { re: [], im: [] }])).toBe(0)
})

test('discriminate() turns its axis by 4 degrees where the noise is correlated, in 5,000 shots', () => {
  // Twice the noise along the centers, a sixty-fourth of which is seen across them too.
  const correlated = (x: number) => {
    const { re, im } = cloud(0, 0, 2, 1, 5_000)
    return { re: re.map((along) => x + along), im: re.map((along, at) => along / 64 + (im[at] ?? 0)) }
  }
  const fit = finished(discriminate(correlated(0), correlated(10)))
  if (!fit.ok) throw new Error(fit.message)
  const wanted = (Math.atan(4 / 64) * 180) / Math.PI
  expect(Math.abs(fit.values.rotation.value - wanted)).toBeLessThan(2)
})
