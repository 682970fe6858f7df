import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { description } from '../../../../ui/api/model/qpus/chip.ts'
import { readChip } from '../../../../ui/plots/chip/chip.ts'

const described = v.parse(description, {
  schema: 1,
  qubits: [
    { name: 'q0', t1_s: 5e-5, readout_error: 0.02, x: 0, y: 0 },
    { name: 'q1', t1_s: 3e-5, readout_error: 0.03, operational: false },
    { name: 'q2' },
  ],
  gates: [
    { name: 'rz', virtual: true, on: [{ qubits: [0], error: 0.5 }] },
    { name: 'sx', on: [{ qubits: [0], error: 0.001 }] },
    {
      name: 'cz',
      on: [
        { qubits: [0, 1], error: 0.01, duration_s: 4e-8 },
        { qubits: [1, 0], error: 0.02, duration_s: 4e-8 },
        { qubits: [2, 1], error: 0.03, operational: false },
      ],
    },
  ],
})

const measured = (element: string, parameter: string, value: number, unit = '') => ({
  ...{ element, parameter, value, unit, error: value / 100 },
  ...{ at: '2026-11-20 10:00:00.000Z', routine: 't1', report: 'r' },
})

test('a chip has its qubits, each pair once, and what the device says of them', () => {
  const chip = readChip(described, [])
  expect(chip.qubits.map(({ name, operational }) => [name, operational])).toEqual([
    ['q0', true],
    ['q1', false],
    ['q2', true],
  ])
  expect(chip.couplers.map(({ name, qubits, operational }) => [name, qubits, operational])).toEqual([
    ['q0_q1', [0, 1], true],
    ['q2_q1', [2, 1], false],
  ])
  expect(chip.qubitMetrics.map(({ title, unit }) => [title, unit])).toEqual([
    ['Readout fidelity', '%'],
    ['SX fidelity', '%'],
    ['T1', 'µs'],
  ])
  expect(chip.couplerMetrics.map(({ id }) => id)).toEqual(['gate.cz', 'duration.cz'])
  expect(chip.qubits[0]?.readings.get('t1')?.value).toBeCloseTo(50, 9)
  expect(chip.qubits[2]?.readings.size).toBe(0)
  expect(chip.couplers[0]?.readings.get('gate.cz')?.value).toBeCloseTo(98, 9)
  expect(chip.places).toEqual([{ x: 0, y: 0 }, undefined, undefined])
})

test('values of calibrations replace those of the device and keep their uncertainty', () => {
  const chip = readChip(described, [
    measured('q0', 'coherence.t1', 6e-5, 's'),
    measured('q1_q0', 'randomized_benchmarking.fidelity', 0.99),
    measured('q0', 'rxy.amp180', 0.2, 'V'),
    measured('elsewhere', 'coherence.t1', 1, 's'),
  ])
  expect(chip.qubits[0]?.readings.get('t1')).toMatchObject({ routine: 't1', parameter: 'coherence.t1' })
  expect(chip.qubits[0]?.readings.get('t1')?.value).toBeCloseTo(60, 9)
  expect(chip.qubits[0]?.readings.get('t1')?.error).toBeCloseTo(0.6, 9)
  expect(chip.couplers[0]?.readings.get('randomized_benchmarking.fidelity')?.value).toBeCloseTo(99, 9)
  expect(chip.qubitMetrics.find(({ id }) => id === 'rxy.amp180')?.unit).toBe('mV')
})
