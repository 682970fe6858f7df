import type { CalibrationValue, Description } from '../../api/model/qpus/chip.ts'
import { metricOf } from './metric.ts'

type Qubit = Description['qubits'][number]

/** The field of a description that a metric replaces, and its value. */
const FIELDS: Record<string, (value: number) => Partial<Qubit>> = {
  readout_fidelity: (value) => ({ readout_error: Math.min(1, Math.max(0, 1 - value)) }),
  t1: (value) => ({ t1_s: value }),
  t2: (value) => ({ t2_s: value }),
  frequency: (value) => ({ frequency_hz: value }),
}

/** A description with what calibrations have measured of its qubits, as the chip map shows it. */
export function withMeasured<T extends Description>(described: T, values: readonly CalibrationValue[]): T {
  const measured = new Map<string, Partial<Qubit>>()
  for (const { element, parameter, value } of values) {
    const field = FIELDS[metricOf(parameter).id]?.(value)
    if (field) measured.set(element, { ...measured.get(element), ...field })
  }
  return {
    ...described,
    qubits: described.qubits.map((qubit) => ({ ...qubit, ...measured.get(qubit.name) })),
  }
}
