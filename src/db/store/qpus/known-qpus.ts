import { qpus } from '../../collections/qpus.ts'
import type { Ahead } from '../../engine/sql.ts'
import type { Change } from '../../records/changes.ts'
import type { Database } from '../../records/database.ts'
import type { ReadTx } from '../../records/tx.ts'
import type { JsonText } from '../../schema/json-text.ts'
import { readDescription } from './descriptions.ts'
import { normalName, type Qpu } from './qpus.ts'

/** Characters of a description that is kept. */
const MAX_KEPT = 512 * 1024

/**
 * All QPUs with their descriptions, kept in memory: every submission and every claim needs them, and they
 * change seldom. Read from the store when they are needed after a change of one.
 */
export class KnownQpus {
  #all: readonly Qpu[] | undefined
  readonly #descriptions = new Map<string, JsonText | null>()

  constructor({ changes, upcoming, withdrawn }: Pick<Database, 'changes' | 'upcoming' | 'withdrawn'>) {
    // Before the commit, after it, and when it failed: what was read in between may be either.
    for (const feed of [upcoming, changes, withdrawn]) feed.subscribe((seen) => this.#forget(seen))
  }

  /** In the order of their registration. */
  list(tx: ReadTx): readonly Qpu[] {
    this.#all ??= tx.list(qpus)
    return this.#all
  }

  /** The enabled ones, on which jobs for any QPU may run. */
  enabled(tx: ReadTx): readonly Qpu[] {
    return this.list(tx).filter(({ enabled }) => enabled)
  }

  /** A QPU by name, else by id. */
  find(tx: ReadTx, nameOrId: string): Qpu | undefined {
    const all = this.list(tx)
    const name = normalName(nameOrId)
    return all.find((qpu) => qpu.name === name) ?? all.find(({ id }) => id === nameOrId)
  }

  /** Begins to read the description of a QPU, unless it is known; null without one. */
  description(tx: ReadTx, qpu: string): Ahead<JsonText | null> {
    const known = this.#descriptions.get(qpu)
    if (known !== undefined) return () => known
    const reading = readDescription(tx, qpu)
    return () => {
      const description = reading()
      if ((description?.text.length ?? 0) <= MAX_KEPT) this.#descriptions.set(qpu, description)
      return description
    }
  }

  #forget(changes: readonly Change[]): void {
    for (const { collection, id } of changes) {
      if (collection !== qpus.name) continue
      this.#all = undefined
      this.#descriptions.delete(id)
    }
  }
}
