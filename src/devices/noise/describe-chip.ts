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
  }[]
  couplings: readonly { gate: string; qubits: [number, number] }[]
  /** Duration of a gate, s; undefined if it is not known. */
  durationOf(gate: string, qubits: readonly number[]): number | undefined
}

/** Durations that are the same for all qubits, s; undefined where they are not known. */
export interface Timing {
  /** Durations of the slowest measurement and reset. */
  measure?: number | undefined
  reset?: number | undefined
  /** Unit of time of the device. */
  dt?: number | undefined
}

/** The durations of measurement and reset, and the unit of time, as far as they are known. */
export function describeTiming({
  measure,
  reset,
  dt,
}: Timing): Pick<DeviceDescription, 'measure' | 'reset' | 'dt_s'> {
  return {
    ...(measure !== undefined && { measure: { duration_s: measure } }),
    ...(reset !== undefined && { reset: { duration_s: reset } }),
    ...(dt !== undefined && { dt_s: dt }),
  }
}

/** The gates by which every program can be expressed, apart from a coupling. */
const PULSES = ['sx', 'x'] as const

/**
 * The qubits and gates of a chip, with the errors that its noise model gives them. What the model leaves
 * exact was not measured, so that its error is not known.
 */
export function describeChip(
  { qubits, couplings, durationOf }: DescribedChip,
  model: NoiseModel,
): Pick<DeviceDescription, 'qubits' | 'gates'> {
  const pulses = PULSES.map((name) => ({
    name,
    on: qubits.map((_, index) => placeOf(name, [index])),
  }))
  const pairs = Map.groupBy(couplings, ({ gate }) => gate)
  const coupled = ({ gate, qubits: pair }: DescribedChip['couplings'][number]) => placeOf(gate, pair)
  return {
    qubits: qubits.map(({ name, t1, t2 }, index) => {
      const [zero, one] = model.readoutErrorOf(index)
      return {
        name,
        ...timeOf('t1_s', t1),
        ...timeOf('t2_s', t2),
        ...errorOf('readout_error', (zero + one) / 2),
      }
    }),
    gates: [
      { name: 'rz', params: ['phi'], virtual: true },
      ...pulses,
      ...[...pairs].map(([name, on]) => ({ name, on: on.map(coupled) })),
      // Programs need one gate of two qubits; without known couplings it acts on all of them.
      ...(couplings.length === 0 && qubits.length > 1 ? [{ name: 'cz' }] : []),
    ],
  }

  function placeOf(gate: string, on: number[]) {
    const error = errorOf('error', averageGateError(model, gate, on))
    return { qubits: on, ...error, ...timeOf('duration_s', durationOf(gate, on)) }
  }
}

function errorOf(key: string, error: number): Record<string, number> {
  return error > 0 ? { [key]: error } : {}
}

function timeOf(key: string, seconds: number | undefined): Record<string, number> {
  return seconds !== undefined && Number.isFinite(seconds) ? { [key]: seconds } : {}
}
