import type { qpus } from '../../collections/qpus.ts'
import type { RecordOf } from '../../schema/collection.ts'

type Width = Pick<RecordOf<typeof qpus>, 'num_qubits'>

/**
 * The largest number of qubits that a QPU runs; undefined for a QPU without description, registered with 1 or
 * less.
 */
export function qubitLimit({ num_qubits }: Width): number | undefined {
  return num_qubits <= 1 ? undefined : num_qubits
}

/** Whether a program of `qubits` qubits fits a QPU. A program exactly as wide as the QPU fits. */
export function fitsQpu(qubits: number, qpu: Width): boolean {
  const limit = qubitLimit(qpu)
  return limit === undefined || qubits <= limit
}
