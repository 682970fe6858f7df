import * as v from 'valibot'
import type { JsonText } from '../../../db/index.ts'
import type { Qpu } from '../../../db/store/qpus/index.ts'
import { deviceDescription, type PartQuality } from '../../../protocol/index.ts'
import { standardGateWidth } from '../../../qasm/index.ts'

const { qubits, gates, features } = deviceDescription.pipe[0].entries
const described = v.object({ qubits, gates, features })
type Described = v.InferOutput<typeof described>
type DescribedQubit = NonNullable<Described['qubits']>[number]
type DescribedGate = NonNullable<Described['gates']>[number]

/** A qubit or a coupling of a chip, as its device describes it. */
export interface Part
  extends Pick<DescribedQubit, 'name' | 'operational' | 'uncalibrated' | 'stale'>,
    PartQuality {
  /** What it lacks of the condition of a job. */
  lacks?: readonly string[]
}

/** A coupling with the indices of its two qubits. */
export interface Coupling extends Part {
  ends: readonly [number, number]
}

/** The parts of a chip. */
export interface DescribedChip {
  /** Name of the QPU. */
  name: string
  qubits: readonly Part[]
  /** By the indices of the ends, the smaller one first; undefined where a gate on two qubits joins any. */
  couplings: ReadonlyMap<string, Coupling> | undefined
  /** Features of the device; undefined where it lists none. */
  features: readonly string[] | undefined
}

/**
 * The chip of a QPU, if its description says of a part that it is not in use, not calibrated or stale;
 * undefined for a whole chip and for one that is not described.
 */
export function flawedChipOf(
  description: JsonText | null,
  qpu: Pick<Qpu, 'name'>,
): DescribedChip | undefined {
  // Most chips are whole, and parsing takes time.
  if (!description || !/"operational":false|"stale":\[/.test(description.text)) return undefined
  return parsed(description, qpu)
}

/** The chip of a QPU; undefined for one whose qubits are not described. */
export function chipOf(description: JsonText | null, qpu: Pick<Qpu, 'name'>): DescribedChip | undefined {
  return description ? parsed(description, qpu) : undefined
}

/** Chips by their description: one that is kept in memory is parsed once. */
const chips = new WeakMap<JsonText, { chip: DescribedChip | undefined }>()

function parsed(description: JsonText, qpu: Pick<Qpu, 'name'>): DescribedChip | undefined {
  const known = chips.get(description) ?? { chip: parse(description, qpu) }
  chips.set(description, known)
  return known.chip
}

function parse({ value }: JsonText, { name }: Pick<Qpu, 'name'>): DescribedChip | undefined {
  const { success, output } = v.safeParse(described, value)
  const { qubits = [], gates = [], features = undefined } = success ? output : {}
  return qubits.length === 0 ? undefined : { name, qubits, couplings: couplingsOf(qubits, gates), features }
}

export function couplingKey(one: number, other: number): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

/** A pair may be coupled by several gates; it is in use if one of them is. */
function couplingsOf(
  qubits: readonly DescribedQubit[],
  gates: readonly DescribedGate[],
): DescribedChip['couplings'] {
  const isAnywhere = ({ name, on, virtual }: DescribedGate) =>
    !on && !virtual && standardGateWidth(name) !== 1
  if (gates.length === 0 || gates.some(isAnywhere)) return undefined
  const couplings = new Map<string, Coupling>()
  for (const { qubits: at, ...place } of gates.flatMap(({ on = [] }) => on)) {
    for (const [index, one] of at.entries()) {
      for (const other of at.slice(index + 1)) {
        const key = couplingKey(one, other)
        const name = [one, other].map((end) => qubits[end]?.name ?? '').join('_')
        couplings.set(key, joined(couplings.get(key), { ...place, name, ends: [one, other] }))
      }
    }
  }
  return couplings
}

/** A coupling with another gate of the same pair: the greatest error counts, and the oldest calibration. */
function joined(known: Coupling | undefined, found: Coupling): Coupling {
  if (!known) return found
  const errors = [known.error, found.error].filter((each) => each !== undefined)
  const times = [known.calibrated_at, found.calibrated_at].filter((each) => each !== undefined)
  return {
    ...(known.operational === false && found.operational !== false ? found : known),
    error: errors.length === 0 ? undefined : Math.max(...errors),
    calibrated_at: times.sort()[0],
  }
}
