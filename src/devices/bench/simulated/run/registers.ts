import { type Pulse, partsOfPort, type Schedule } from '../../../pulse/schedule.ts'
import type { Arrival } from '../dynamics/play.ts'
import type { Conditions, Coupling } from '../state/conditions.ts'

/** Pulses of a schedule by element, in the order of time. */
export interface PulsesByPort {
  mw: Map<string, Pulse[]>
  res: Map<string, Pulse[]>
  fl: Map<string, Pulse[]>
}

/** Transmons that one state describes. */
export interface Register {
  /** One, the ends of a coupling, that of higher frequency first, or all that pulsed couplings join. */
  qubits: readonly string[]
  /** Between these transmons. */
  couplings: readonly Coupling[]
  /** Driven neighbors outside the register, by qubit: their interaction is only known on average. */
  neighbors: ReadonlyMap<string, readonly Coupling[]>
}

/** Leaks further than this from every transition of a transmon do not move it, Hz. */
const LEAK_RANGE = 50e6

export function sortPulses({ pulses }: Schedule): PulsesByPort {
  const sorted: PulsesByPort = { mw: new Map(), res: new Map(), fl: new Map() }
  const byPort = new Map<Pulse['port'], Pulse[]>()
  for (const pulse of pulses) {
    const list = byPort.get(pulse.port)
    if (list) list.push(pulse)
    else byPort.set(pulse.port, [pulse])
  }
  for (const [port, list] of byPort) {
    const { element, kind } = partsOfPort(port)
    list.sort((one, other) => one.at - other.at)
    sorted[kind].set(element, list)
  }
  return sorted
}

/**
 * The registers that a schedule reads. Transmons share one when pulsed couplers join them, or when both ends
 * of a coupling are driven and their interaction never rests: of these, a transmon belongs to one pair only.
 */
export function registersOf(schedule: Schedule, pulses: PulsesByPort, conditions: Conditions): Register[] {
  const read = new Set(schedule.acquisitions.map(({ qubit }) => qubit))
  const isDriven = (qubit: string) => pulses.mw.has(qubit)
  const pulsed = conditions.couplings.filter(({ name }) => pulses.fl.has(name))
  const driven = conditions.couplings.filter(
    ({ name, high, low, gate }) =>
      !pulses.fl.has(name) && gate.conditional !== 0 && isDriven(high) && isDriven(low),
  )
  const taken = new Set<string>()
  const registers: Register[] = []
  const add = (qubits: readonly string[]) => {
    if (!qubits.some((qubit) => read.has(qubit)) || qubits.some((qubit) => taken.has(qubit))) return
    for (const qubit of qubits) taken.add(qubit)
    const isInside = ({ high, low }: Coupling) => qubits.includes(high) && qubits.includes(low)
    const outside = driven.filter((coupling) => !isInside(coupling))
    const neighborsOf = (qubit: string) => outside.filter(({ high, low }) => high === qubit || low === qubit)
    const neighbors = new Map(qubits.map((qubit) => [qubit, neighborsOf(qubit)]))
    registers.push({ qubits, couplings: conditions.couplings.filter(isInside), neighbors })
  }
  for (const qubits of joinedBy(pulsed)) add(qubits)
  for (const { high, low } of driven) add([high, low])
  for (const qubit of read) if (conditions.transmons.has(qubit)) add([qubit])
  return registers
}

/** Groups of transmons that couplings join. */
function joinedBy(couplings: readonly Coupling[]): string[][] {
  let groups: string[][] = []
  for (const { high, low } of couplings) {
    const touched = groups.filter((group) => group.includes(high) || group.includes(low))
    const joined = [...new Set([...touched.flat(), high, low])]
    groups = [...groups.filter((group) => !touched.includes(group)), joined]
  }
  return groups
}

/** The pulses that reach a transmon: its own, and leaks of its neighbors near one of its transitions. */
export function arrivalsAt(qubit: string, pulses: PulsesByPort, conditions: Conditions): Arrival[] {
  const own: Arrival[] = (pulses.mw.get(qubit) ?? []).map((pulse) => ({ pulse, share: 1 }))
  const transmon = conditions.transmons.get(qubit)
  if (!transmon) return own
  const isNear = ({ frequency }: Pulse) => {
    const distance = frequency - transmon.f01
    return Math.min(Math.abs(distance), Math.abs(distance - transmon.anharmonicity)) < LEAK_RANGE
  }
  const leaks = conditions.couplings.flatMap(({ high, low, driveLeak: [toLow, toHigh] }) => {
    if (high !== qubit && low !== qubit) return []
    const [source, share] = low === qubit ? [high, toLow] : [low, toHigh]
    if (share === 0) return []
    return (pulses.mw.get(source) ?? []).filter(isNear).map((pulse) => ({ pulse, share }))
  })
  if (leaks.length === 0) return own
  return [...own, ...leaks].sort((one, other) => one.pulse.at - other.pulse.at)
}
