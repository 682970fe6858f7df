import { qpus } from '../../collections/qpus.ts'
import { type Known, mapped, type Query } from '../../engine/query.ts'
import { Memory, type MemorySource } from '../../records/memory.ts'
import type { ReadTx } from '../../records/tx.ts'
import type { JsonText } from '../../schema/json-text.ts'
import { descriptionOf } from './descriptions.ts'
import type { Qpu } from './qpus.ts'

/** Characters of all descriptions that are kept, the newest of them. */
export const MAX_KEPT_DESCRIPTIONS = 64 * 1024 * 1024

/**
 * All QPUs with their descriptions, kept in memory: every submission and every claim needs them, and they
 * change seldom.
 */
export class KnownQpus {
  readonly #memory: Memory<typeof qpus>
  readonly #descriptions = new Map<string, { version: number; text: JsonText | null }>()

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
    const version = this.#memory.version(qpu)
    const known = this.#descriptions.get(qpu)
    if (known?.version === version) return { known: known.text }
    const mayKeep = this.#memory.mayKeep(tx)
    return mapped(descriptionOf(qpu), (text) => {
      if (mayKeep) this.#keep(qpu, { version, text })
      return text
    })
  }

  #keep(qpu: string, kept: { version: number; text: JsonText | null }): void {
    this.#descriptions.delete(qpu)
    this.#descriptions.set(qpu, kept)
    let characters = 0
    for (const [id, { text }] of [...this.#descriptions].reverse()) {
      characters += text?.text.length ?? 0
      if (characters > MAX_KEPT_DESCRIPTIONS) this.#descriptions.delete(id)
    }
  }
}
