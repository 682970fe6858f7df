import type { Chip } from '../device-file.ts'
import type { Edge, Element, Qubit } from '../elements/element.ts'
import type { UncalibratedUse } from '../uncalibrated.ts'
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

/** A gate of a chip, and whether the hardware plays it. */
interface GateOnHardware {
  /** `drive of q0`, `readout of q0`, `CZ q0-q1`. */
  gate: string
  element: Element
  /** What the gate needs calibrated. */
  uses: readonly UncalibratedUse[]
  port: string
  /** Why it cannot be played; undefined if it can. */
  problem: string | undefined
}

/** All gates of a chip. Without hardware, each can be played. */
export function gatesOnHardware(chip: Chip, hardware: Hardware | undefined): GateOnHardware[] {
  const { qubits, edges } = chip
  const gates = [
    ...qubits.map((element) => ({ gate: `drive of ${element.name}`, element, played: driveOf(element) })),
    ...qubits.map((element) => ({ gate: `readout of ${element.name}`, element, played: readoutOf(element) })),
    ...edges.map((element) => ({
      gate: `CZ ${element.parent}-${element.child}`,
      element,
      played: couplingOf(element, chip),
    })),
  ]
  const conflicts = hardware ? conflictsOf(gates, hardware) : new Map<string, string>()
  return gates.map(({ gate, element, played: { port, clock, hz = 0 } }) => {
    const tone = hardware && toneOf(hardware, port, clock, hz)
    const problem = tone && 'problem' in tone ? tone.problem : conflicts.get(gate)
    const uses: UncalibratedUse[] = gate.startsWith('readout') ? ['readout', 'bits'] : ['gates']
    return { gate, element, uses, port, problem }
  })
}

/**
 * What of a chip the hardware cannot do, a line for each gate: `CZ q1-q2 unavailable: q1:fl not connected`.
 * None of it prevents a start: other qubits and gates work, and a tuner measures frequencies that are
 * missing.
 */
export function unavailableGates(chip: Chip, hardware: Hardware): string[] {
  return gatesOnHardware(chip, hardware).flatMap(({ gate, problem }) =>
    problem === undefined ? [] : [`${gate} unavailable: ${problem}`],
  )
}

/** Gates on one output that need two frequencies of its oscillator, each with the problem. */
function conflictsOf(
  gates: readonly { gate: string; played: PlayedPort }[],
  hardware: Hardware,
): Map<string, string> {
  const oscillators = new Map<string, { gate: string; loHz: number }>()
  const conflicts = gates.flatMap(({ gate, played: { port, clock, hz = 0 } }): [string, string][] => {
    const tone = toneOf(hardware, port, clock, hz)
    if ('problem' in tone || tone.loHz === undefined) return []
    const other = oscillators.get(tone.channel.name)
    if (!other) oscillators.set(tone.channel.name, { gate, loHz: tone.loHz })
    if (!other || Math.abs(other.loHz - tone.loHz) <= 1) return []
    const problem = `${tone.channel.name} has one oscillator, at ${other.loHz} Hz for the ${other.gate}; set lo_freq`
    return [[gate, problem]]
  })
  return new Map(conflicts)
}
