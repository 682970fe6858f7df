import { expect, test } from 'bun:test'
import { rounded } from '../../../../src/devices/tuning/measure/accept.ts'

test('a time in whole steps has the error of the rounding beside its own', () => {
  // The same arrival, found twice in between of two steps.
  const [below, above] = [165.99e-9, 166.01e-9].map((value) => rounded({ value, error: 2e-11 }))
  expect([below?.value, above?.value]).toEqual([164e-9, 168e-9])
  // Uniform over a step: its length over √12.
  expect(below?.error).toBeCloseTo(1.1548e-9, 12)
  expect(rounded({ value: 41.4e-9, error: 3e-9 }, 1)).toEqual({
    value: 41e-9,
    error: Math.hypot(3e-9, 1e-9 / Math.sqrt(12)),
  })
})
