import { expect, test } from 'bun:test'
import type { CurrentSource, RampOptions } from '../../../../src/devices/bench/instrument.ts'
import { createHeldCurrents } from '../../../../src/devices/bench/simulated/held-currents.ts'

const RAMP: RampOptions = { rate: 40e-6, signal: new AbortController().signal }

test('a current moves in steps of the resolution within the rate', async () => {
  const seen: number[] = []
  const currents = createHeldCurrents(new Map([['q0_q1', 0.2e-3]]), (edge) =>
    seen.push(currents.heldIn(edge)),
  )
  const source: CurrentSource = currents
  await source.ramp('q0_q1', 0.20123e-3, RAMP)
  expect(await source.read('q0_q1')).toBeCloseTo(0.2012e-3, 12)
  expect(seen).toHaveLength(12)
  await source.ramp('q0_q1', -0.2e-3, { ...RAMP, rate: 10e-3 })
  expect(currents.heldIn('q0_q1')).toBe(-0.2e-3)
  expect(seen).toHaveLength(12 + 41)
})

test('it refuses what the output cannot deliver before anything moves', async () => {
  const currents = createHeldCurrents(new Map([['q0_q1', 1e-3]]))
  expect(currents.ramp('q0_q1', 3.2e-3, RAMP)).rejects.toThrow('q0_q1: 0.0032 A is not within ±0.0031 A')
  expect(currents.ramp('q1_q2', 0, RAMP)).rejects.toThrow('connected to q1_q2')
  expect(currents.ramp('q0_q1', 0, { ...RAMP, rate: 0 })).rejects.toThrow('rate: 0 A/s')
  expect(await currents.read('q0_q1')).toBe(1e-3)
})

test('a fault and an abort stop the ramp where it is', async () => {
  const currents = createHeldCurrents(new Map([['q0_q1', 0]]), (_, sample) => {
    if (sample === 5) throw new Error('connection lost')
  })
  expect(currents.ramp('q0_q1', 1e-3, RAMP)).rejects.toThrow('connection lost')
  expect(currents.heldIn('q0_q1')).toBeCloseTo(5e-7, 12)
  expect(currents.ramp('q0_q1', 0, { ...RAMP, signal: AbortSignal.abort() })).rejects.toThrow('abort')
  expect(currents.heldIn('q0_q1')).toBeCloseTo(5e-7, 12)
})
