import type { JsonText } from '../../../db/index.ts'
import type { Qpu } from '../../../db/store/qpus/index.ts'
import { type QualityCondition, shortfallsOf } from '../../../protocol/index.ts'
import type { JobExtents } from '../../programs/messages.ts'
import { chipOf, type DescribedChip, flawedChipOf, type Part } from '../chip/described-chip.ts'
import { type BeyondLimit, beyondLimits } from '../chip/judge-extents.ts'

/** The newest measured fidelity of the readout of each qubit, by its name. */
export type Fidelities = ReadonlyMap<string, number>

/** The chip of a QPU as it is described now. */
export class PresentChip {
  readonly qpu: Qpu
  readonly description: JsonText | null
  readonly #now: number
  #flawed: { chip: DescribedChip | undefined } | undefined

  /** `now` in ms since the epoch. */
  constructor(qpu: Qpu, description: JsonText | null, now: number) {
    this.qpu = qpu
    this.description = description
    this.#now = now
  }

  /** The limits of the device that a job passes. */
  beyond(extents: JobExtents | undefined): BeyondLimit[] {
    return beyondLimits(this.description, this.qpu.name, extents)
  }

  /** The chip, if parts of it are not in use or stale; undefined for a whole chip. */
  get flawed(): DescribedChip | undefined {
    this.#flawed ??= { chip: flawedChipOf(this.description, this.qpu) }
    return this.#flawed.chip
  }

  /**
   * The chip with what its parts lack of a condition now, with the measured readout as the pages show it;
   * undefined if the device does not know conditions, or describes no qubits.
   */
  under(condition: QualityCondition, fidelities: Fidelities): DescribedChip | undefined {
    const chip = chipOf(this.description, this.qpu)
    if (!chip?.features?.includes('quality_condition')) return undefined
    const judged = <P extends Part>(kind: 'qubit' | 'pair', part: P): P => {
      const lacks = shortfallsOf(kind, part, condition, this.#now)
      return lacks.length === 0 ? part : { ...part, lacks }
    }
    const measured = chip.qubits.map((qubit) => {
      const fidelity = fidelities.get(qubit.name)
      if (fidelity === undefined) return qubit
      return { ...qubit, readout_error: Math.min(1, Math.max(0, 1 - fidelity)) }
    })
    const couplings = [...(chip.couplings ?? [])].map(([key, each]) => [key, judged('pair', each)] as const)
    return {
      ...chip,
      qubits: measured.map((qubit) => judged('qubit', qubit)),
      couplings: chip.couplings && new Map(couplings),
    }
  }
}
