import type { DeviceDescription } from '../../../protocol/index.ts'
import { FORMATS } from '../../../simulator/index.ts'
import { describeChip, describeTiming } from '../../noise/describe-chip.ts'
import type { ReadNoise } from '../../noise/read-noise.ts'
import { describeSimulator } from '../../simulation/describe-simulator.ts'

/** The simulated chip, or the simulator itself if its noise is not that of a chip. */
export function describeAerSim(
  noise: ReadNoise | undefined,
  { max_shots, max_qubits }: { max_shots: number; max_qubits: number },
): DeviceDescription {
  const chip = noise?.chip()
  // Without noise, programs may declare more qubits than a statevector has; see `declaredQubits`.
  const timing = describeTiming(noise?.timing ?? {})
  if (!noise || !chip)
    return {
      ...describeSimulator({ shots: max_shots, hasStates: true }),
      num_qubits: Math.min(max_qubits, FORMATS.double.maxQubits),
      ...timing,
    }
  const { qubits } = noise.model
  const limits = { shots: max_shots, hasStates: true, ...(Number.isFinite(qubits) && { qubits }) }
  return { ...describeSimulator(limits), ...describeChip(chip, noise.model), ...timing }
}
