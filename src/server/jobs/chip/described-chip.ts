import * as v from 'valibot'
import type { ReadTx } from '../../../db/index.ts'
import { type Qpu, readDescription } from '../../../db/store/qpus/index.ts'
import { deviceDescription } from '../../../protocol/index.ts'
import { standardGateWidth } from '../../../qasm/index.ts'

const { qubits, gates } = deviceDescription.pipe[0].entries
const described = v.object({ qubits, gates })
type Described = v.InferOutput<typeof described>
type DescribedQubit = NonNullable<Described['qubits']>[number]
type DescribedGate = NonNullable<Described['gates']>[number]

/** A qubit or a coupling of a chip, as its device describes it. */
export type Part = Pick<DescribedQubit, 'name' | 'operational' | 'uncalibrated' | 'stale'>

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
}

/**
 * The chip of a QPU, if its description says of a part that it is not in use, not calibrated or stale;
 * undefined for a whole chip and for one that is not described.
 */
export function readChip(tx: ReadTx, { id, name }: Pick<Qpu, 'id' | 'name'>): DescribedChip | undefined {
  const description = readDescription(tx, id)
  // Most chips are whole, and parsing takes time.
  if (!description || !/"operational":false|"stale":\[/.test(description.text)) return undefined
  const parsed = v.safeParse(described, description.value)
  const { qubits = [], gates = [] } = parsed.success ? parsed.output : {}
  return qubits.length === 0 ? undefined : { name, qubits, couplings: couplingsOf(qubits, gates) }
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
  for (const { qubits: at, operational, uncalibrated, stale } of gates.flatMap(({ on = [] }) => on)) {
    for (const [index, one] of at.entries()) {
      for (const other of at.slice(index + 1)) {
        const key = couplingKey(one, other)
        const known = couplings.get(key)
        if (known && (known.operational !== false || operational === false)) continue
        const name = [one, other].map((end) => qubits[end]?.name ?? '').join('_')
        couplings.set(key, { name, ends: [one, other], operational, uncalibrated, stale })
      }
    }
  }
  return couplings
}
