import { type Refusal, refuseQubits } from '../../define-method.ts'

/** Gates on more qubits are refused: the tensors of their sites are joined. */
const MAX_GATE_QUBITS = 6
const MAX_QUBITS = 1_000

/** Refuses a chain of too many qubits. */
export function refuseSize(qubits: number): Refusal | undefined {
  return refuseQubits(qubits, MAX_QUBITS)
}

/** Refuses a gate on too many qubits, controls included. */
export function refuseGate(qubits: number): Refusal | undefined {
  if (qubits <= MAX_GATE_QUBITS) return undefined
  return { code: 'unsupported_gate', reason: `has a gate on more than ${MAX_GATE_QUBITS} qubits` }
}
