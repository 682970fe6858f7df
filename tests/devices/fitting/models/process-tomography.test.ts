import { expect, test } from 'bun:test'
import type { Fit } from '../../../../src/devices/fitting/fit.ts'
import { czTransfer, fitProcess } from '../../../../src/devices/fitting/models/process-tomography.ts'
import { physicalTransfer } from '../../../../src/devices/fitting/physical-transfer.ts'
import { createRng } from '../../../../src/devices/index.ts'
import { finished } from '../../../support/fitting/finished.ts'
import { TOMOGRAPHY_TRIAL } from '../../../support/fitting/tomography-trial.ts'

test('czTransfer() is its own inverse and a physical process', () => {
  const cz = czTransfer()
  for (let row = 0; row < 16; row++) {
    for (let column = 0; column < 16; column++) {
      let sum = 0
      for (let at = 0; at < 16; at++) sum += (cz[row * 16 + at] ?? 0) * (cz[at * 16 + column] ?? 0)
      expect(sum).toBe(row === column ? 1 : 0)
    }
  }
  for (const [at, value] of physicalTransfer(cz).entries()) expect(value).toBeCloseTo(cz[at] ?? 9, 9)
})

test('physicalTransfer() keeps physical processes and moves others', () => {
  const transpose = new Float64Array(256)
  for (let at = 0; at < 16; at++) transpose[at * 17] = at >> 2 === 2 ? -1 : 1
  const depolarized = transpose.map((value, at) => (at === 0 ? 1 : value * 0.1))
  const diagonalOf = (transfer: Float64Array) => Array.from({ length: 16 }, (_, at) => transfer[at * 17] ?? 0)
  const [moved, kept] = [physicalTransfer(transpose), physicalTransfer(depolarized)]
  expect(
    Math.max(...diagonalOf(moved).map((value, at) => Math.abs(value - (transpose[at * 17] ?? 0)))),
  ).toBeGreaterThan(0.3)
  for (const [at, value] of diagonalOf(kept).entries())
    expect(value).toBeCloseTo(depolarized[at * 17] ?? 9, 9)
})

test('fitProcess() gives a physical transfer matrix beside the unbiased fidelity', () => {
  const { fit } = TOMOGRAPHY_TRIAL.prepare(createRng(11), true)()
  expect(fit).toMatchObject({ ok: true, fit: { kind: 'map', model: 'process' }, values: { fidelity: {} } })
})

test('fitProcess() names what is missing', () => {
  const counts = (outcome: number[]) =>
    Array.from({ length: 16 }, () => Array.from({ length: 9 }, () => outcome))
  const messageOf = (result: Fit<unknown>) => (result.ok ? '' : result.message)
  expect(messageOf(finished(fitProcess({ counts: [] })))).toBe('0 preparations; tomography needs 16')
  expect(messageOf(finished(fitProcess({ counts: counts([0, 0, 0, 0]) })))).toContain('Preparation 0')
  expect(messageOf(finished(fitProcess({ counts: counts([5, 5, 5, 5]) })))).toContain('holds no signal')
  const blind = [
    [
      [0.5, 0.5],
      [0.5, 0.5],
    ],
  ]
  const some = counts([5, 5, 5, 5]).map((settings, at) =>
    settings.map((outcome) => outcome.map((count) => count + at)),
  )
  expect(messageOf(finished(fitProcess({ counts: some, assignments: blind })))).toContain(
    'does not distinguish',
  )
})
