import { expect, test } from 'bun:test'
import { beatOf } from '../../../src/devices/fitting/models/beating.ts'
import { fitStep } from '../../../src/devices/fitting/models/step.ts'
import type { Steps } from '../../../src/devices/fitting/steps.ts'
import { createRng } from '../../../src/devices/index.ts'

function pausesOf(steps: Steps<unknown>): number {
  let pauses = 0
  while (!steps.next().done) pauses++
  return pauses
}

const times = Array.from({ length: 400 }, (_, at) => at * 5e-9)

test('a search over many start values pauses', () => {
  const rng = createRng(3)
  const signal = times.map((time) => (time > 3e-7 ? 1 : 0) + 0.1 * rng.normal())
  expect(pausesOf(fitStep(times, signal, { name: 'signal', unit: 'V' }))).toBeGreaterThan(5)
})

test('the comparison of one frequency with two pauses', () => {
  const rng = createRng(4)
  const signal = times.map((time) => 0.5 + 0.4 * Math.cos(2e7 * time) + 0.02 * rng.normal())
  const fringe = { times, signal, frequency: 2e7 / (2 * Math.PI), decay: 2e-6 }
  expect(pausesOf(beatOf([fringe]))).toBeGreaterThan(5)
})
