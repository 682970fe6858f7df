import type { Channel, NoiseModel } from '../../simulator/index.ts'

/**
 * The average error of a gate under a noise model, 0 to 1 (Nielsen, Phys. Lett. A 303, 249, 2002). Exact for
 * one channel or channels on different qubits; to first order in the errors for several in a row.
 */
export function averageGateError(model: NoiseModel, gate: string, qubits: readonly number[]): number {
  const [target = 0, ...controls] = qubits.toReversed()
  const channels =
    model.channelsAfter?.({
      kind: 'unitary',
      name: gate,
      targets: [target],
      controls: controls.reverse(),
      controlValues: 2 ** controls.length - 1,
      // The error of a pulse.
      matrix: Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0),
    }) ?? []
  const fidelity = channels.reduce((product, { channel }) => product * processFidelity(channel), 1)
  const dimension = 2 ** qubits.length
  return ((1 - fidelity) * dimension) / (dimension + 1)
}

/** The overlap of a channel with the identity: Σ |Tr K|² / d². */
function processFidelity({ qubits, kraus }: Channel): number {
  const size = 2 ** qubits
  const traces = kraus.map((matrix) => {
    let [re, im] = [0, 0]
    for (let row = 0; row < size; row++) {
      re += matrix[2 * (row * size + row)] ?? 0
      im += matrix[2 * (row * size + row) + 1] ?? 0
    }
    return re * re + im * im
  })
  return traces.reduce((sum, each) => sum + each, 0) / size ** 2
}
