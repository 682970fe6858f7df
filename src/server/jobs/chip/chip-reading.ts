import type { JsonText, ReadTx } from '../../../db/index.ts'
import { readReadoutFidelities } from '../../../db/store/calibrations/index.ts'
import type { Qpu } from '../../../db/store/qpus/index.ts'
import { type QualityCondition, shortfallsOf } from '../../../protocol/index.ts'
import type { JobExtents } from '../../programs/messages.ts'
import { chipOf, type DescribedChip, flawedChipOf, type Part } from './described-chip.ts'
import { type BeyondLimit, beyondLimits } from './judge-extents.ts'

/** The chip of a QPU in one transaction. */
export class ChipReading {
  readonly #tx: ReadTx
  readonly #qpu: Pick<Qpu, 'id' | 'name'>
  readonly #description: JsonText | null
  #flawed: { chip: DescribedChip | undefined } | undefined
  #measured: { chip: DescribedChip | undefined } | undefined

  constructor(tx: ReadTx, qpu: Pick<Qpu, 'id' | 'name'>, description: JsonText | null) {
    this.#tx = tx
    this.#qpu = qpu
    this.#description = description
  }

  get name(): string {
    return this.#qpu.name
  }

  /** The limits of the device that a job passes. */
  beyond(extents: JobExtents | undefined): BeyondLimit[] {
    return extents ? beyondLimits(this.#description, this.#qpu.name, extents) : []
  }

  /** The chip, if parts of it are not in use or stale; undefined for a whole chip. */
  get flawed(): DescribedChip | undefined {
    this.#flawed ??= { chip: flawedChipOf(this.#description, this.#qpu) }
    return this.#flawed.chip
  }

  /**
   * The chip with what its parts lack of a condition now; undefined if the device does not know conditions,
   * or describes no qubits.
   */
  under(condition: QualityCondition): DescribedChip | undefined {
    this.#measured ??= { chip: this.#readMeasured() }
    const { chip } = this.#measured
    if (!chip?.features?.includes('quality_condition')) return undefined
    const { now } = this.#tx
    const judged = <P extends Part>(kind: 'qubit' | 'pair', part: P): P => {
      const lacks = shortfallsOf(kind, part, condition, now)
      return lacks.length === 0 ? part : { ...part, lacks }
    }
    const couplings = [...(chip.couplings ?? [])].map(([key, each]) => [key, judged('pair', each)] as const)
    return {
      ...chip,
      qubits: chip.qubits.map((qubit) => judged('qubit', qubit)),
      couplings: chip.couplings && new Map(couplings),
    }
  }

  /** The description with the newest measured readout of each qubit, as the pages show it. */
  #readMeasured(): DescribedChip | undefined {
    const chip = chipOf(this.#description, this.#qpu)
    if (!chip) return undefined
    const fidelities = readReadoutFidelities(this.#tx, this.#qpu.id)
    const qubits = chip.qubits.map((qubit) => {
      const fidelity = fidelities.get(qubit.name)
      return fidelity === undefined
        ? qubit
        : { ...qubit, readout_error: Math.min(1, Math.max(0, 1 - fidelity)) }
    })
    return { ...chip, qubits }
  }
}
