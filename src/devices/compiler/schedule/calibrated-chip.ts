import type { Chip } from '../../chip/device-file.ts'
import { type Edge, type Qubit, valueAt } from '../../chip/elements/element.ts'
import { couplingOf, driveOf, readoutOf } from '../../chip/hardware/cross-check.ts'
import type { Hardware } from '../../chip/hardware/hardware-file.ts'
import { toneOf } from '../../chip/hardware/tones.ts'
import type { Provenance } from '../../chip/provenance/provenance.ts'
import { type ChipCondition, qualityOf, shortfallsOfElement } from '../../chip/quality.ts'
import { uncalibratedOf } from '../../chip/uncalibrated.ts'
import type { ElementValues } from '../../pulse/builder.ts'
import { type Coupling, pairKey } from '../route/coupling.ts'

/** A chip as the compiler sees it: its qubits by index, their couplings, and the values of its elements. */
export interface CalibratedChip {
  /** Names of the qubits, by index. */
  qubits: readonly string[]
  coupling: Coupling
  /** The edge of two coupled qubits, given by index in either order. */
  edgeOf(one: number, other: number): string
  values: ElementValues
  /** What the tone of another qubit of the same readout line adds to the rotated signal of one, V. */
  toneShift(qubit: string, other: string): number
  /** Probability of each outcome (columns) for each state (rows) of a qubit, where it is known. */
  assignmentOf(qubit: string): readonly (readonly number[])[] | undefined
  /** What is left out because it is not calibrated; undefined where nothing is. */
  leftOut?: LeftOut | undefined
  /** What is left out because it does not meet the condition of the job; undefined where nothing is. */
  belowQuality?: BelowQuality | undefined
}

/** Parts of a chip that do not meet the condition of a job. */
interface BelowQuality {
  /** The chip as it would be with them. */
  whole: Pick<CalibratedChip, 'coupling' | 'leftOut'>
  /** What each of them lacks, by name. */
  reasons: ReadonlyMap<string, string>
}

/** Parts of a chip that are not calibrated. */
interface LeftOut {
  /** The chip as it would be with them. */
  coupling: Coupling
  /** Whether a circuit may use them where it cannot do without. */
  isAllowed: boolean
  /** Why each of them is left out, by name. */
  reasons: ReadonlyMap<string, string>
}

/**
 * Which parts of a chip may be used: `bits` those that are calibrated, `signals` those that are so except for
 * the discriminators, `playable` all that can be played, `any` all of them, with a stand-in for each value
 * that is not set: for an instrument that plays nothing.
 */
type ChipUse = 'bits' | 'signals' | 'playable' | 'any'

/** Values for an instrument that plays nothing. */
const STAND_INS: Readonly<Record<string, number>> = {
  'rxy.amp180': 0.5,
  'clock_freqs.f01': 5e9,
  'clock_freqs.readout': 7e9,
  'clock_freqs.cz': 3e8,
}

/**
 * The chip of a device file.
 * @param hardware what plays the gates; undefined where anything can be played
 * @param provenance has the measured errors of the gates
 * @param allowsLeftOut whether a circuit that cannot do without may use what is left out
 * @param condition what the parts must meet, whatever else is allowed
 */
export function calibratedChipOf(
  chip: Chip,
  hardware?: Hardware,
  use: ChipUse = 'playable',
  allowsLeftOut = false,
  provenance?: Provenance,
  condition?: ChipCondition,
): CalibratedChip {
  const qubits = chip.qubits.map(({ name }) => name)
  const names = new Map(
    chip.edges.map(({ name, parent, child }) => [
      [qubits.indexOf(parent), qubits.indexOf(child)].toSorted().join(' '),
      name,
    ]),
  )
  const playable = partOf(
    chip,
    (qubit) => use === 'any' || !hardware || canPlayQubit(qubit, hardware),
    (edge) => use === 'any' || canPlayCz(edge, chip, hardware, use !== 'playable'),
  )
  const reasons = use === 'bits' || use === 'signals' ? reasonsOf(chip, use) : new Map<string, string>()
  const isCalibrated = ({ name }: { name: string }) => !reasons.has(name)
  const errors = new Map(
    chip.edges.flatMap((edge) => {
      const error = provenance?.gateErrorOf(edge)
      const ends = pairKey(qubits.indexOf(edge.parent), qubits.indexOf(edge.child))
      return error === undefined ? [] : [[ends, error] as const]
    }),
  )
  const usable = reasons.size === 0 ? playable : within(playable, partOf(chip, isCalibrated, isCalibrated))
  const whole = {
    coupling: { ...usable, errors },
    leftOut:
      reasons.size === 0
        ? undefined
        : { coupling: { ...playable, errors }, reasons, isAllowed: allowsLeftOut },
  }
  return {
    qubits,
    ...whole,
    ...(condition && meeting(chip, whole, condition)),
    edgeOf(one, other) {
      const name = names.get([one, other].sort().join(' '))
      if (name === undefined) throw new RangeError(`qubits ${one} and ${other} are not coupled`)
      return name
    },
    assignmentOf: (name) => {
      const qubit = chip.qubits.find((each) => each.name === name)
      const isKnown = qubit && provenance && qualityOf(qubit, provenance).readout_error !== undefined
      return isKnown ? qubit.get('measure_2state.assignment') : undefined
    },
    toneShift(name, other) {
      const shifts = chip.qubits.find((qubit) => qubit.name === name)?.get('measure_2state.tone_shifts') ?? []
      // A list that does not fit the chip is of another one.
      return (shifts.length === qubits.length && shifts[qubits.indexOf(other)]) || 0
    },
    values: {
      number(name, path) {
        const element = chip.element(name)
        const value = element && valueAt(element, path)
        if (typeof value === 'number' && Number.isFinite(value)) return value
        return use === 'any' ? STAND_INS[path] : undefined
      },
      ends(name) {
        const edge = chip.element(name)
        if (edge?.kind !== 'edge') throw new RangeError(`${name} is not an edge`)
        return [edge.parent, edge.child]
      },
    },
  }
}

/** The part of a chip that meets a condition; undefined when all of it does. */
function meeting(
  chip: Chip,
  whole: BelowQuality['whole'],
  condition: ChipCondition,
): Pick<CalibratedChip, 'coupling' | 'leftOut' | 'belowQuality'> | undefined {
  const elements: readonly (Qubit | Edge)[] = [...chip.qubits, ...chip.edges]
  const reasons = new Map(
    elements.flatMap((element) => {
      const lacks = shortfallsOfElement(element, condition)
      return lacks.length === 0 ? [] : [[element.name, lacks.join(', ')] as const]
    }),
  )
  if (reasons.size === 0) return undefined
  const meets = ({ name }: { name: string }) => !reasons.has(name)
  const part = partOf(chip, meets, meets)
  const { coupling, leftOut } = whole
  return {
    coupling: within(coupling, part),
    leftOut: leftOut && { ...leftOut, coupling: within(leftOut.coupling, part) },
    belowQuality: { whole, reasons },
  }
}

/** Why the parts of a chip that are not calibrated are not, by name. */
function reasonsOf({ qubits, edges }: Chip, use: 'bits' | 'signals'): Map<string, string> {
  return new Map(
    [...qubits, ...edges].flatMap((element) => {
      const missing = uncalibratedOf(element).filter((each) => use === 'bits' || each.use !== 'bits')
      const reason = missing.map((each) => each.reason).join(', ')
      return missing.length === 0 ? [] : [[element.name, reason] as const]
    }),
  )
}

/** The qubits that meet a condition, and the edges between them that meet another one. */
function partOf(
  chip: Chip,
  isQubit: (qubit: Qubit) => boolean,
  isEdge: (edge: Edge) => boolean,
): Coupling & { usable: ReadonlySet<number> } {
  const indices = new Map(chip.qubits.map(({ name }, index) => [name, index]))
  const usable = new Set(chip.qubits.flatMap((qubit, index) => (isQubit(qubit) ? [index] : [])))
  const edges = chip.edges.filter(isEdge).flatMap(({ parent, child }) => {
    const pair = [indices.get(parent) ?? -1, indices.get(child) ?? -1] as const
    return pair.every((index) => usable.has(index)) ? [pair] : []
  })
  return { qubits: chip.qubits.length, edges, usable }
}

/** What is left of a chip within a part of it. */
function within(one: Coupling, part: ReturnType<typeof partOf>): ReturnType<typeof partOf> {
  const kept = new Set(part.edges.map(String))
  const { usable = part.usable } = one
  return {
    ...one,
    edges: one.edges.filter((pair) => kept.has(String(pair))),
    usable: new Set([...usable].filter((qubit) => part.usable.has(qubit))),
  }
}

/** Whether the hardware plays the frequencies of both lines of a qubit, as far as they are known. */
function canPlayQubit(qubit: Qubit, hardware: Hardware): boolean {
  return [driveOf(qubit), readoutOf(qubit)].every(
    ({ port, clock, hz }) => hz === undefined || !('problem' in toneOf(hardware, port, clock, hz)),
  )
}

/**
 * Whether the gate of an edge can be played. A tunable coupler is driven at a frequency that only a
 * calibration finds, and that may lie outside of what its output plays.
 * @param isUnknown the answer while the frequency is not known
 */
export function canPlayCz(
  edge: Edge,
  chip: Chip,
  hardware: Hardware | undefined,
  isUnknown = false,
): boolean {
  const { port, clock, hz } = couplingOf(edge, chip)
  if (hz === undefined) return isUnknown
  return !hardware || !('problem' in toneOf(hardware, port, clock, hz))
}
