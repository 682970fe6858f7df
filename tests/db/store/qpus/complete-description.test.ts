import { expect, test } from 'bun:test'
import {
  completeDescription,
  type Described,
  withNewer,
} from '../../../../src/db/store/qpus/complete-description.ts'

const at = '2026-11-21 22:10:00.000Z'
const described: Described = {
  qubits: [{ name: 'q0', readout_error: 0.02 }, { name: 'q1' }],
  gates: [
    { name: 'rz', virtual: true },
    { name: 'sx', on: [{ qubits: [0], error: 0.001 }, { qubits: [1] }] },
    { name: 'cz', on: [{ qubits: [1, 0] }] },
    { name: 'cx' },
  ],
}

test('completeDescription() fills only the errors that the device omits', () => {
  const fidelities = [
    { protocol: 'readout_fidelity', target: 'q0', fidelity: 0.9 },
    { protocol: 'readout_fidelity', target: 'q1', fidelity: 0.75 },
    { protocol: 'randomized_benchmarking', target: 'q0', fidelity: 0.5 },
    { protocol: 'randomized_benchmarking', target: 'q1', fidelity: 0.875 },
    { protocol: 'cz_rb', target: 'q0_q1', fidelity: 0.5 },
    { protocol: 'cz_rb', target: 'q7', fidelity: 0.1 },
  ]
  expect(completeDescription(described, { fidelities, at })).toEqual({
    calibrated_at: '2026-11-21T22:10:00.000Z',
    qubits: [
      { name: 'q0', readout_error: 0.02 },
      { name: 'q1', readout_error: 0.25 },
    ],
    gates: [
      { name: 'rz', virtual: true },
      {
        name: 'sx',
        on: [
          { qubits: [0], error: 0.001 },
          { qubits: [1], error: 0.125 },
        ],
      },
      { name: 'cz', on: [{ qubits: [1, 0], error: 0.5 }] },
      { name: 'cx' },
    ],
  })
})

test('completeDescription() returns the description without fidelities or qubits', () => {
  expect(completeDescription(described, { fidelities: [], at })).toBe(described)
  const simulator = { gates: [{ name: 'x', on: [{ qubits: [0] }] }] }
  const fidelities = [{ protocol: 'rb', target: 'q0', fidelity: 0.9 }]
  expect(completeDescription(simulator, { fidelities, at })).toBe(simulator)
})

test('withNewer() keeps what a calibration of other targets does not say, in any order of arrival', () => {
  const whole = ['q0', 'q1', 'q0_q1'].map((target) => ({ protocol: 'rb', target, fidelity: 0.99 }))
  const later = [{ protocol: 'rb', target: 'q1', fidelity: 0.9 }]
  const expected = { q0: 0.99, q1: 0.9, q0_q1: 0.99 }
  const seen = (all: ReturnType<typeof withNewer>) =>
    Object.fromEntries(all.map(({ target, fidelity }) => [target, fidelity]))
  expect(seen(withNewer(whole, later, { known: '1', found: '2' }))).toEqual(expected)
  expect(seen(withNewer(later, whole, { known: '2', found: '1' }))).toEqual(expected)
  const readout = [{ protocol: 'readout_fidelity', target: 'q1', fidelity: 0.97 }]
  expect(withNewer(later, readout, { known: '1', found: '2' })).toHaveLength(2)
})
