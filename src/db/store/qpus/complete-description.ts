/** A benchmark of a calibration, as far as a description uses it. */
export interface Fidelity {
  protocol: string
  /** Name of a qubit, or of the coupling of two: `q0_q1`. */
  target: string
  fidelity: number
  /** UTC text of the end of its calibration; as of the newest one where it is absent. */
  at?: string
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
 * The fidelities known of a chip after a calibration that ended at `at`: of each readout and gate those of
 * the newest calibration that measured it, in whatever order they arrive.
 */
export function withNewer(
  known: readonly Fidelity[],
  found: readonly Fidelity[],
  at: { known: string; found: string },
): Fidelity[] {
  const dated = (all: readonly Fidelity[], time: string) => all.map((each) => ({ at: time, ...each }))
  const [before, after] = [dated(known, at.known), dated(found, at.found)]
  const isSame = (one: Fidelity, other: Fidelity) =>
    one.target === other.target && isReadout(one) === isReadout(other)
  const kept = before.filter((one) => !after.some((other) => isSame(one, other) && other.at >= one.at))
  return [...kept, ...after.filter((one) => !kept.some((other) => isSame(one, other)))]
}

function isReadout({ protocol }: Fidelity): boolean {
  return protocol.includes('readout')
}

/**
 * A description with the errors that the device omits, by calibrations of which the newest ended at `at`:
 * 1 - fidelity. A protocol with `readout` in its name measures the readout of a qubit, any other one the
 * gates of its qubits. Of several fidelities of one target the last counts.
 */
export function completeDescription<T extends Described>(
  described: T,
  { fidelities, at }: { fidelities: readonly Fidelity[]; at: string },
): T {
  const names = described.qubits?.map(({ name }) => name) ?? []
  if (fidelities.length === 0 || names.length === 0) return described
  const readout = new Map<string, number>()
  const gates = new Map<string, number>()
  for (const each of fidelities) {
    const errors = isReadout(each) ? readout : gates
    errors.set(each.target, Math.min(1, Math.max(0, 1 - each.fidelity)))
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
