import {
  type ChannelOp,
  defineNoiseModel,
  EXACT_READOUT,
  type NoiseModel,
  onQubit,
  type ReadoutError,
  thermalRelaxation,
} from '../../simulator/index.ts'
import type { Chip, DeviceFile } from '../chip/device-file.ts'
import type { Edge, Qubit } from '../chip/elements/element.ts'
import type { DescribedChip, Timing } from './describe-chip.ts'

interface NoisyQubit {
  name: string
  duration: number
  t1: number
  t2: number
  readout: ReadoutError
}

/** Resolution of the instruments that play a device file, s. */
const DT = 1e-9

/** How long the slowest qubit of a chip takes for a measurement and for a reset, which is a wait. */
export function timingOf({ qubits }: Chip): Timing {
  const measured = qubits.map(({ get }) => {
    const window = get('measure.acq_delay') + get('measure.integration_time')
    return Math.max(get('measure.pulse_duration'), window)
  })
  const reset = Math.max(...qubits.map(({ get }) => get('reset.duration')))
  return { measure: Math.max(...measured), reset, dt: DT }
}

/** The chip as the simulator describes it; couplings are given in both directions. */
export function describedChipOf({ qubits, edges }: Chip): DescribedChip {
  const indexOf = new Map(qubits.map(({ name }, index) => [name, index]))
  const known = qubits.map(noisyQubitOf)
  const pairs = durationsOf(edges)
  return {
    qubits: known,
    durationOf: (_, places) => {
      const [first, ...others] = places.map((place) => known[place])
      return others.length === 0
        ? first?.duration
        : pairs.get([first, ...others].map((each) => each?.name).join(' '))
    },
    couplings: edges.flatMap((edge) => {
      const [one, other] = [indexOf.get(edge.parent), indexOf.get(edge.child)]
      if (one === undefined || other === undefined) return []
      return [
        { gate: 'cz', qubits: [one, other] },
        { gate: 'cz', qubits: [other, one] },
      ]
    }),
  }
}

/**
 * The noise model of a calibrated chip: relaxation during gates and delays by the measured times of its
 * qubits, and the measured readout errors. Qubit i of a circuit is the i-th qubit of the chip. Values that
 * were never measured add no noise.
 */
export function noiseOfDeviceFile({ chip }: DeviceFile, source: string): NoiseModel {
  const qubits = chip.qubits.map(noisyQubitOf)
  const durations = durationsOf(chip.edges)
  return defineNoiseModel({
    source,
    qubits: qubits.length,
    gateNoiseOf: (_, places, times) => relaxationDuring(places, times, qubits, durations),
    relaxationOf: (index) => qubits[index],
    readoutErrorOf: (index) => qubits[index]?.readout ?? EXACT_READOUT,
  })
}

/** Duration of the gate of two qubits, s, by both orders of their names. */
function durationsOf(edges: readonly Edge[]): ReadonlyMap<string, number> {
  return new Map(
    edges.flatMap(({ parent, child, get }) => {
      const duration = get('cz.square_duration')
      return [
        [`${parent} ${child}`, duration],
        [`${child} ${parent}`, duration],
      ]
    }),
  )
}

function noisyQubitOf({ name, get }: Qubit): NoisyQubit {
  const t1 = get('coherence.t1') ?? Number.POSITIVE_INFINITY
  const t2 = get('coherence.t2_echo') ?? get('coherence.t2_star') ?? 2 * t1
  const matrix = get('measure_2state.assignment') ?? get('measure_3state.assignment')
  return {
    name,
    duration: get('rxy.duration'),
    t1,
    // Times measured separately may contradict each other; physically, t2 is at most twice t1.
    t2: Math.min(t2, 2 * t1),
    readout: matrix ? [1 - (matrix[0]?.[0] ?? 1), 1 - (matrix[1]?.[1] ?? 1)] : EXACT_READOUT,
  }
}

/**
 * Relaxation of each qubit of a gate during the gate: the duration of the qubit's pulse, or of the edge's
 * gate.
 * @param times how many times as long as one pulse; 0 for a change of the frame
 */
function relaxationDuring(
  places: readonly number[],
  times: number,
  qubits: readonly NoisyQubit[],
  durations: ReadonlyMap<string, number>,
): ChannelOp[] {
  if (times === 0) return []
  const names = places.map((place) => qubits[place]?.name ?? '')
  // A gate without an edge is composed of gates with one: the longest gate approximates it.
  const shared = durations.get(names.join(' ')) ?? Math.max(0, ...durations.values())
  return places.flatMap((place) => {
    const qubit = qubits[place]
    const duration = places.length > 1 ? shared : times * (qubit?.duration ?? 0)
    return qubit ? onQubit(place, thermalRelaxation({ t1: qubit.t1, t2: qubit.t2, duration })) : []
  })
}
