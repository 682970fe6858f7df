import { expect, test } from 'bun:test'
import { DRIFT_MODELS, Drift } from '../../../../../src/devices/bench/simulated/truth/drift.ts'
import { truthAt } from '../../../../../src/devices/bench/simulated/truth/truth-at.ts'
import { EPOCH, quietTruth } from '../../../../support/simulated-chip/chips.ts'

const DAY = 86_400

test('drift is a function of time: order and restarts change nothing', () => {
  const times = [0, 3600, 40 * DAY, 10, 7 * DAY, 40 * DAY]
  const valuesOf = (drift: Drift, at: number[]) => at.map((t) => drift.at('q0', 'f01', t, DRIFT_MODELS.f01))
  const drift = new Drift(5)
  const values = valuesOf(drift, times)
  expect(values[5]).toBe(values[2] ?? Number.NaN)
  expect(times.map((t) => valuesOf(new Drift(5), [t])[0] ?? 0)).toEqual(values)
  expect(valuesOf(new Drift(6), times)).not.toEqual(values)
  expect(times.map((t) => drift.at('q1', 'f01', t, DRIFT_MODELS.f01))).not.toEqual(values)
})

test('the smooth part has its standard deviation, and little of it within minutes', () => {
  let squares = 0
  let changes = 0
  const chips = 400
  for (let seed = 0; seed < chips; seed++) {
    const drift = new Drift(seed)
    const value = drift.at('q0', 'gate', 5 * DAY, { sigma: 1 })
    squares += value ** 2
    changes += (drift.at('q0', 'gate', 5 * DAY + 60, { sigma: 1 }) - value) ** 2
  }
  expect(Math.sqrt(squares / chips)).toBeGreaterThan(0.85)
  expect(Math.sqrt(squares / chips)).toBeLessThan(1.15)
  expect(Math.sqrt(changes / chips)).toBeLessThan(0.1)
})

test('steps stay, and come as often as they should', () => {
  const days = 300
  let steps = 0
  for (let seed = 0; seed < 20; seed++) {
    const drift = new Drift(seed)
    let last = 0
    for (let day = 1; day <= days; day++) {
      const value = drift.at('q0', 'f01', day * DAY, { ...DRIFT_MODELS.f01, sigma: 0 })
      if (value !== last) steps++
      last = value
    }
  }
  expect(steps).toBeGreaterThan(0.7 * ((20 * days) / 15))
  expect(steps).toBeLessThan(1.3 * ((20 * days) / 15))
})

test('the truth of a chip drifts, and stands still without drift', () => {
  const truth = { ...quietTruth(2), drift: true }
  const drift = new Drift(truth.seed)
  const [now, later] = [truthAt(truth, drift, 0), truthAt(truth, drift, 2 * DAY)]
  const [q0, q0Later] = [now.qubits['q0'], later.qubits['q0']]
  expect(Math.abs((q0Later?.f01 ?? 0) - (q0?.f01 ?? 0))).toBeGreaterThan(10)
  expect(Math.abs((q0Later?.f01 ?? 0) - (q0?.f01 ?? 0))).toBeLessThan(3e6)
  expect(q0Later?.rabi).not.toBe(q0?.rabi)
  expect(q0Later?.readout.frequency).not.toBe(q0?.readout.frequency)
  expect(later.edges['q0_q1']?.offset).not.toBe(now.edges['q0_q1']?.offset)
  expect(later.gateOffsets['q0_q1']).not.toBe(now.gateOffsets['q0_q1'])
  expect(truthAt({ ...truth, drift: false }, drift, 2 * DAY).qubits).toEqual(truth.qubits)
})

test('an event that names what does not exist says so', () => {
  const truth = quietTruth(1)
  const event = { kind: 'step', at: EPOCH, target: 'q0', field: 'readout.tint', by: 1 } as const
  expect(() => truthAt({ ...truth, events: [event] }, new Drift(1), 0)).toThrow(
    'events: q0 has no number called readout.tint',
  )
})
