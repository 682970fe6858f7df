import { expect, test } from 'bun:test'
import type { CalibrationValue, Description } from '../../../../ui/api/model/qpus/chip.ts'
import { readChip } from '../../../../ui/plots/chip/chip.ts'
import { describeElement, showMetric, sourceText } from '../../../../ui/plots/chip/shown.ts'
import { withMeasured } from '../../../../ui/plots/chip/with-measured.ts'

const described: Description = {
  qubits: [
    { name: 'q0', readout_error: 0.12, t1_s: 4e-5, operational: true },
    { name: 'q1', readout_error: 0.03, operational: true },
  ],
  gates: [],
  simulator: false,
  calibrated_at: '',
  limits: { shots: undefined, executions: undefined, qubits: undefined },
}
const values: CalibrationValue[] = [
  {
    element: 'q0',
    parameter: 'readout_fidelity.fidelity',
    value: 0.9836,
    unit: '',
    error: 0.002,
    at: '2026-11-20 10:00:00.000Z',
    routine: 'readout_fidelity',
    report: 'r',
  },
]

test('the map and the expected fidelity of a job use the same readout of a qubit', () => {
  const [q0, q1] = withMeasured(described, values).qubits
  const [seen] = readChip(described, values).qubits
  expect(q0?.readout_error).toBeCloseTo(1 - (seen?.readings.get('readout_fidelity')?.value ?? 0) / 100, 12)
  expect(q0?.t1_s).toBe(4e-5)
  expect(q1?.readout_error).toBe(0.03)
})

test('each value names its source and its age, and its rounding does not hide a limit', () => {
  const chip = readChip(described, values)
  const [q0, q1] = chip.qubits
  const [metric] = chip.qubitMetrics
  if (!q0 || !q1 || !metric) throw new Error('the chip has no readout')
  const now = Date.parse('2026-11-20T12:00:00Z')
  const source = (element: typeof q0) => {
    const reading = element.readings.get(metric.id)
    return reading && sourceText(reading, now)
  }
  expect([source(q0), source(q1)]).toEqual(['2 h ago by readout_fidelity', 'described by the device'])
  const shown = showMetric(metric, chip.qubits, { log: false, limit: 98.38 })
  expect(describeElement(shown, q0)).toBe('Readout fidelity 98.36(20)\u00a0%, below the limit')
})
