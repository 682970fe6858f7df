/** A benchmark of a calibration, as far as a description uses it. */
export interface Fidelity {
  protocol: string
  /** Name of a qubit, or of the coupling of two: `q0_q1`. */
  target: string
  fidelity: number
}

interface Qubit {
  name: string
  readout_error?: number | undefined
}

interface Gate {
  name: string
  virtual?: boolean | undefined
  on?: { qubits: number[]; error?: number | undefined }[] | undefined
}

/** The part of a description that fidelities complete. */
export interface Described {
  /** UTC time of the last calibration. */
  calibrated_at?: string | undefined
  qubits?: Qubit[] | undefined
  gates?: Gate[] | undefined
}

/**
 * A description with the errors that the device omits, by the newest calibration: 1 - fidelity. A protocol
 * with `readout` in its name measures the readout of a qubit, any other one the gates of its qubits. Of
 * several fidelities of one target the last counts.
 */
export function completeDescription<T extends Described>(
  described: T,
  { fidelities, at }: { fidelities: readonly Fidelity[]; at: string },
): T {
  const names = described.qubits?.map(({ name }) => name) ?? []
  if (fidelities.length === 0 || names.length === 0) return described
  const readout = new Map<string, number>()
  const gates = new Map<string, number>()
  for (const { protocol, target, fidelity } of fidelities) {
    const errors = protocol.includes('readout') ? readout : gates
    errors.set(target, Math.min(1, Math.max(0, 1 - fidelity)))
  }
  return {
    calibrated_at: at.replace(' ', 'T'),
    ...described,
    qubits: described.qubits?.map((qubit) => withDefault(qubit, 'readout_error', readout.get(qubit.name))),
    gates: described.gates?.map((gate) =>
      gate.virtual || !gate.on
        ? gate
        : { ...gate, on: gate.on.map((at) => withDefault(at, 'error', errorAt(at.qubits))) },
    ),
  }

  /** A coupling is named in either order of its qubits. */
  function errorAt(qubits: readonly number[]): number | undefined {
    const on = qubits.map((index) => names[index] ?? '')
    return gates.get(on.join('_')) ?? gates.get(on.toReversed().join('_'))
  }
}

function withDefault<T extends object>(given: T, key: keyof T & string, value: number | undefined): T {
  return value === undefined || given[key] !== undefined ? given : { ...given, [key]: value }
}
