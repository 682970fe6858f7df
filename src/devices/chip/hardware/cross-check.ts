import type { Chip } from '../device-file.ts'
import type { Edge, Qubit } from '../elements/element.ts'
import type { Hardware } from './hardware-file.ts'
import { BASEBAND_CLOCK, toneOf } from './tones.ts'

/** A port of an element with the clock and frequency that it plays. */
interface PlayedPort {
  port: string
  clock: string
  /** Undefined while it was never measured. */
  hz: number | undefined
}

/** The port and clock that drive a qubit. */
export function driveOf({ name, get }: Qubit): PlayedPort {
  return { port: get('ports.microwave') ?? `${name}:mw`, clock: `${name}.01`, hz: get('clock_freqs.f01') }
}

/** The port and clock that read a qubit out. */
export function readoutOf({ name, get }: Qubit): PlayedPort {
  return { port: get('ports.readout') ?? `${name}:res`, clock: `${name}.ro`, hz: get('clock_freqs.readout') }
}

/** The port and clock of the gate of an edge: the line of a coupler, or that of the parent's flux. */
export function couplingOf({ name, className, parent, get }: Edge, chip: Chip): PlayedPort {
  if (className === 'FluxTunableCoupler') {
    return { port: `${name}:fl`, clock: `${name}.cz`, hz: get('clock_freqs.cz') }
  }
  const qubit = chip.element(parent)
  const port = qubit?.kind === 'qubit' ? qubit.get('ports.flux') : undefined
  return { port: port ?? `${parent}:fl`, clock: BASEBAND_CLOCK, hz: 0 }
}

/**
 * What of a chip the hardware cannot do, a line for each gate: `CZ q1-q2 unavailable: q1:fl not connected`.
 * None of it prevents a start: other qubits and gates work, and a tuner measures frequencies that are
 * missing.
 */
export function unavailableGates(chip: Chip, hardware: Hardware): string[] {
  const gates = [
    ...chip.qubits.map((qubit) => ({ gate: `drive of ${qubit.name}`, played: driveOf(qubit) })),
    ...chip.qubits.map((qubit) => ({ gate: `readout of ${qubit.name}`, played: readoutOf(qubit) })),
    ...chip.edges.map((edge) => ({
      gate: `CZ ${edge.parent}-${edge.child}`,
      played: couplingOf(edge, chip),
    })),
  ]
  const problems = gates.flatMap(({ gate, played: { port, clock, hz = 0 } }) => {
    const tone = toneOf(hardware, port, clock, hz)
    return 'problem' in tone ? [`${gate} unavailable: ${tone.problem}`] : []
  })
  return [...problems, ...conflictsOf(gates, hardware)]
}

/** Gates on one output that need two frequencies of its oscillator. */
function conflictsOf(gates: readonly { gate: string; played: PlayedPort }[], hardware: Hardware): string[] {
  const oscillators = new Map<string, { gate: string; loHz: number }>()
  return gates.flatMap(({ gate, played: { port, clock, hz = 0 } }) => {
    const tone = toneOf(hardware, port, clock, hz)
    if ('problem' in tone || tone.loHz === undefined) return []
    const other = oscillators.get(tone.channel.name)
    if (!other) oscillators.set(tone.channel.name, { gate, loHz: tone.loHz })
    if (!other || Math.abs(other.loHz - tone.loHz) <= 1) return []
    return [
      `${gate} unavailable: ${tone.channel.name} has one oscillator, at ${other.loHz} Hz for the ${other.gate}; set lo_freq`,
    ]
  })
}
