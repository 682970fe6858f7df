import { type Refusal, refuseQubits } from '../../define-method.ts'
import { UnsuitableMethodError } from '../../errors.ts'
import type { TensorChain } from './tensor-chain.ts'

/** Gates on more qubits are refused: the tensors of their sites are joined. */
const MAX_GATE_QUBITS = 6
const MAX_QUBITS = 1_000
/** Weight that truncations may discard: what is left of more is another state than that of the circuit. */
const MAX_DISCARDED = 0.5

/** Refuses a chain of too many qubits. */
export function refuseSize(qubits: number): Refusal | undefined {
  return refuseQubits(qubits, MAX_QUBITS)
}

/** Refuses a gate on too many qubits, controls included. */
export function refuseGate(qubits: number): Refusal | undefined {
  if (qubits <= MAX_GATE_QUBITS) return undefined
  return { code: 'unsupported_gate', reason: `has a gate on more than ${MAX_GATE_QUBITS} qubits` }
}

/**
 * Ends the run of a chain that truncations have made another state.
 * @throws UnsuitableMethodError with the bond.
 */
export function assertKept({ discarded, largestBondDimension }: TensorChain): void {
  if (discarded <= MAX_DISCARDED) return
  const reason = `is too entangled: bonds of ${largestBondDimension} lose more than half of its state`
  throw new UnsuitableMethodError({ code: 'too_many_qubits', reason })
}
