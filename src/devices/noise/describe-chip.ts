import type { DeviceDescription } from '../../protocol/index.ts'
import type { NoiseModel } from '../../simulator/index.ts'
import { averageGateError } from './gate-error.ts'

/** The qubits and couplings of a chip, as the source of a noise model names them. */
export interface DescribedChip {
  qubits: readonly {
    name: string
    /** s; infinite or absent when it was not measured. */
    t1?: number | undefined
    t2?: number | undefined
    /** Duration of a pulse, s. */
    duration?: number | undefined
  }[]
  couplings: readonly { gate: string; qubits: [number, number]; duration?: number | undefined }[]
}

/** The gates by which every program can be expressed, apart from a coupling. */
const PULSES = ['sx', 'x'] as const

/** The qubits and gates of a chip, with the errors that its noise model gives them. */
export function describeChip(
  { qubits, couplings }: DescribedChip,
  model: NoiseModel,
): Pick<DeviceDescription, 'qubits' | 'gates'> {
  const pulses = PULSES.map((name) => ({
    name,
    on: qubits.map(({ duration }, index) => placeOf(name, [index], duration)),
  }))
  const pairs = Map.groupBy(couplings, ({ gate }) => gate)
  const coupled = ({ gate, qubits: pair, duration }: DescribedChip['couplings'][number]) =>
    placeOf(gate, pair, duration)
  return {
    qubits: qubits.map(({ name, t1, t2 }, index) => {
      const [zero, one] = model.readoutErrorOf(index)
      return { name, ...timeOf('t1_s', t1), ...timeOf('t2_s', t2), readout_error: (zero + one) / 2 }
    }),
    gates: [
      { name: 'rz', params: ['phi'], virtual: true },
      ...pulses,
      ...[...pairs].map(([name, on]) => ({ name, on: on.map(coupled) })),
      // Programs need one gate of two qubits; without known couplings it acts on all of them.
      ...(couplings.length === 0 && qubits.length > 1 ? [{ name: 'cz' }] : []),
    ],
  }

  function placeOf(gate: string, on: number[], duration: number | undefined) {
    return { qubits: on, error: averageGateError(model, gate, on), ...timeOf('duration_s', duration) }
  }
}

function timeOf(key: string, seconds: number | undefined): Record<string, number> {
  return seconds !== undefined && Number.isFinite(seconds) ? { [key]: seconds } : {}
}
