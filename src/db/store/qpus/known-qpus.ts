import { qpus } from '../../collections/qpus.ts'
import { type Known, mapped, type Query } from '../../engine/query.ts'
import { Memory, type MemorySource } from '../../records/memory.ts'
import type { ReadTx } from '../../records/tx.ts'
import type { JsonText } from '../../schema/json-text.ts'
import { descriptionOf } from './descriptions.ts'
import type { Qpu } from './qpus.ts'
import { type RecalledCalibration, recalledCalibrationOf } from './recalled-calibration.ts'

/** Characters of all descriptions that are kept, the newest of them. */
export const MAX_KEPT_DESCRIPTIONS = 64 * 1024 * 1024

/** What is known of QPUs, each in the version of its record. */
type Kept<T> = Map<string, { version: number; value: T }>

/**
 * All QPUs with their descriptions, kept in memory: every submission and every claim needs them, and they
 * change seldom.
 */
export class KnownQpus {
  readonly #memory: Memory<typeof qpus>
  readonly #descriptions: Kept<JsonText | null> = new Map()
  readonly #recalls: Kept<RecalledCalibration | undefined> = new Map()

  constructor(source: MemorySource) {
    this.#memory = new Memory(source, qpus)
  }

  /** In the order of their registration. */
  list(tx: ReadTx): readonly Qpu[] {
    return this.#memory.all(tx)
  }

  get(tx: ReadTx, id: string): Qpu | undefined {
    return this.#memory.get(tx, id)
  }

  /** The description of a QPU, which is read unless it is known; null without one. */
  description(tx: ReadTx, qpu: string): Query<JsonText | null> | Known<JsonText | null> {
    return this.#knowing(tx, this.#descriptions, qpu, descriptionOf(qpu))
  }

  /** The recall of the calibration in force of a QPU, which is read unless it is known. */
  recalled(tx: ReadTx, qpu: string) {
    return this.#knowing(tx, this.#recalls, qpu, recalledCalibrationOf(qpu))
  }

  #knowing<T>(tx: ReadTx, kept: Kept<T>, qpu: string, query: Query<T>): Query<T> | Known<T> {
    const version = this.#memory.version(qpu)
    const known = kept.get(qpu)
    if (known?.version === version) return { known: known.value }
    const mayKeep = this.#memory.mayKeep(tx)
    return mapped(query, (value) => {
      if (mayKeep) {
        kept.delete(qpu)
        kept.set(qpu, { version, value })
        this.#dropDescriptions()
      }
      return value
    })
  }

  #dropDescriptions(): void {
    let characters = 0
    for (const [id, { value }] of [...this.#descriptions].reverse()) {
      characters += value?.text.length ?? 0
      if (characters > MAX_KEPT_DESCRIPTIONS) this.#descriptions.delete(id)
    }
  }
}
