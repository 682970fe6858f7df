import { type Database, encodeJson, JsonText } from '../../db/index.ts'
import { type DescribedLimits, describeQpu } from '../../db/store/qpus/index.ts'
import type { DeviceDescription } from '../../protocol/index.ts'
import { missingFeatureBits } from './features.ts'

/** A description as it is received: its lists may be JSON texts. */
type ReceivedDescription = {
  [Key in keyof DeviceDescription]:
    | DeviceDescription[Key]
    | (Key extends 'qubits' | 'gates' ? JsonText : never)
}

/** Stores the description of a QPU by its driver; false when the driver's lease is not the current one. */
export function storeDescription(
  db: Database,
  describer: { qpu: string; driver: string; epoch: number },
  received: ReceivedDescription,
): Promise<boolean> {
  const described = encodeJson(received)
  const limits = limitsOf(received)
  return db.write('describe qpu', (tx) => describeQpu(tx, describer, { described, limits }))
}

function limitsOf({ num_qubits, qubits, limits = {}, features }: ReceivedDescription): DescribedLimits {
  const known = qubits instanceof JsonText ? (qubits.value as unknown[]) : qubits
  return {
    num_qubits: num_qubits ?? known?.length ?? limits.qubits,
    max_qubits: limits.qubits ?? known?.length ?? 0,
    max_shots: limits.shots ?? 0,
    max_executions: limits.executions ?? 0,
    missing_features: missingFeatureBits(features),
  }
}
